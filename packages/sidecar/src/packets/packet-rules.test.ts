import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { formatPacketRules } from "./packet-rules.ts";

const IPV4 = "10.99.0.2";
const IPV6 = "fd99::2";
const TARGET_PORT = 3_001;
const OTHER_PORT = 3_002;

/** A network of its own, in which this user is root; it is gone with its last process. */
const IN_NETWORK = ["--user", "--map-root-user", "--net", "sh", "-c"];
const SET_UP = `set -e; PATH=$PATH:/usr/sbin:/sbin
ip link set lo up; ip address add ${IPV4}/24 dev lo; ip -6 address add ${IPV6}/128 dev lo nodad; nft --file -`;
/** Listens at every address, and prints who got through from where. The only one that is let out is another user. */
const CONNECT = `
const { connect, createServer } = require("node:net");
const { once } = require("node:events");
const [addresses, ports] = JSON.parse(process.argv[1]);
(async () => {
  for (const port of ports) await once(createServer((socket) => socket.end("served")).listen(port, "::"), "listening");
  for (const host of addresses) for (const port of ports) {
    const socket = connect({ host, port, timeout: 2000 });
    const outcome = await Promise.race([
      once(socket, "data").then(String),
      once(socket, "timeout").then(() => "silent"),
      once(socket, "error").then(() => "refused"),
    ]).catch(() => "refused");
    socket.destroy();
    console.log(host + " " + port + " " + outcome);
  }
  process.exit();
})();`;

function findObstacle(): string | undefined {
  const probe =
    "PATH=$PATH:/usr/sbin:/sbin; nft list ruleset && ip link set lo up && ip -6 address add fd99::1/128 dev lo nodad";
  const { error, status } = spawnSync("unshare", [...IN_NETWORK, probe], { stdio: "ignore" });
  return error === undefined && status === 0 ? undefined : "this user may make no network, or nft and ip are missing";
}

const obstacle = findObstacle();

function connectUnder(rules: string, addresses: readonly string[], ports: readonly number[]): string[] {
  const script = `${SET_UP}; exec "$0" "$@"`;
  const args = [...IN_NETWORK, script, process.execPath, "-e", CONNECT, JSON.stringify([addresses, ports])];
  return execFileSync("unshare", args, { input: rules, encoding: "utf8" }).trim().split("\n");
}

describe.skipIf(obstacle !== undefined)(
  `packet rules in force${obstacle === undefined ? "" : ` (skipped: ${obstacle})`}`,
  () => {
    const common = { userId: 54_321, groupId: 54_321, gateway: "10.99.0.1", addresses: [IPV4, IPV6] };

    test("let who is in the namespace reach the server's port at an address of its own, as rootless engines forward", () => {
      const rules = formatPacketRules({ ...common, ingressPort: TARGET_PORT });

      expect(connectUnder(rules, [IPV4, IPV6, "127.0.0.1"], [TARGET_PORT])).toEqual([
        `${IPV4} ${TARGET_PORT} served`,
        `${IPV6} ${TARGET_PORT} served`,
        `127.0.0.1 ${TARGET_PORT} served`,
      ]);
    });

    test("open nothing else by that: neither another port of these addresses, nor the port elsewhere", () => {
      const rules = formatPacketRules({ ...common, ingressPort: TARGET_PORT });

      expect(connectUnder(rules, [IPV4, IPV6, "10.99.0.9"], [TARGET_PORT, OTHER_PORT])).toEqual([
        `${IPV4} ${TARGET_PORT} served`,
        `${IPV4} ${OTHER_PORT} refused`,
        `${IPV6} ${TARGET_PORT} served`,
        `${IPV6} ${OTHER_PORT} refused`,
        `10.99.0.9 ${TARGET_PORT} refused`,
        `10.99.0.9 ${OTHER_PORT} refused`,
      ]);
    });

    test("open nothing for a server on stdio", () => {
      const rules = formatPacketRules({ ...common, ingressPort: undefined });

      expect(connectUnder(rules, [IPV4], [TARGET_PORT])).toEqual([`${IPV4} ${TARGET_PORT} refused`]);
    });

    test("take the place of an earlier sidecar's", () => {
      const before = formatPacketRules({ ...common, ingressPort: TARGET_PORT });
      const after = formatPacketRules({ ...common, ingressPort: OTHER_PORT });

      expect(connectUnder(`${before}${after}`, [IPV4], [TARGET_PORT, OTHER_PORT])).toEqual([
        `${IPV4} ${TARGET_PORT} refused`,
        `${IPV4} ${OTHER_PORT} served`,
      ]);
    });
  },
);

describe("packet rules", () => {
  test("are whole without an address and without a gateway", () => {
    const rules = formatPacketRules({ userId: 1, groupId: 2, gateway: undefined, addresses: [], ingressPort: 80 });

    expect(rules).not.toContain("undefined");
    expect(rules).not.toContain("dport 80");
  });

  test("in a pod let every address ask the server and the probe", () => {
    const rules = formatPacketRules({
      userId: 1,
      groupId: 2,
      gateway: "10.0.0.1",
      addresses: [],
      ingressPort: 80,
      inPod: true,
    });

    expect(rules).toContain("\n    tcp dport 80 accept");
    expect(rules).toContain("\n    tcp dport 61791 accept");
    expect(rules).not.toContain("10.0.0.1");
  });
});
