import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { expect, test, vi } from "vitest";
import type { ContainerEngine } from "../../ports/container-engine.ts";
import { listClosedNetworks } from "./closed-networks.ts";

vi.mock("node:os", { spy: true });

const address = (value: string, internal: boolean): NetworkInterfaceInfo => ({
  address: value,
  internal,
  family: "IPv4",
  netmask: "255.255.255.255",
  mac: "00:00:00:00:00:00",
  cidr: null,
});

test("an address of this machine is closed on the loopback interface, too; 127.0.0.0/8 leads nowhere else", async () => {
  vi.mocked(networkInterfaces).mockReturnValueOnce({
    lo: [address("127.0.0.1", true), address("198.51.100.7", true)],
    eth0: [address("192.0.2.1", false)],
  });
  const engine: Partial<ContainerEngine> = {
    info: { isRemote: false, address: "/run/engine.sock" } as ContainerEngine["info"],
    listNetworks: async () => ["172.17.0.0/16"],
  };

  await expect(listClosedNetworks(engine as ContainerEngine)).resolves.toEqual([
    "172.17.0.0/16",
    "192.0.2.1",
    "198.51.100.7",
  ]);
});
