import { describe, expect, test } from "vitest";
import { isHostAllowed, isOriginAllowed } from "./host-guard.ts";

const LOOPBACK = { host: "127.0.0.1", port: 4000 };
const EVERYWHERE = { host: "0.0.0.0", port: 4000 };
const NAMED = { host: "box.lan", port: 4000 };

describe("isHostAllowed", () => {
  test.each([
    ["localhost:4000", LOOPBACK, true],
    ["LocalHost:4000", LOOPBACK, true],
    ["127.0.0.1:4000", LOOPBACK, true],
    ["127.8.9.10:4000", LOOPBACK, true],
    ["[::1]:4000", LOOPBACK, true],
    ["localhost", { host: "127.0.0.1", port: 80 }, true],
    ["box.lan:4000", NAMED, true],
    ["[2001:db8::5]:4000", { host: "2001:0DB8:0::5", port: 4000 }, true],
    ["[2001:0DB8::0005]:4000", { host: "2001:db8::5", port: 4000 }, true],
    ["[2001:db8::6]:4000", { host: "2001:db8::5", port: 4000 }, false],
    ["192.168.1.5:4000", { host: "0::0", port: 4000 }, true],
    ["localhost", LOOPBACK, false],
    ["localhost:4001", LOOPBACK, false],
    ["evil.example:4000", LOOPBACK, false],
    ["localhost.evil.example:4000", LOOPBACK, false],
    ["127.0.0.1.evil.example:4000", LOOPBACK, false],
    ["user@localhost:4000", LOOPBACK, false],
    ["192.168.1.5:4000", LOOPBACK, false],
    ["192.168.1.5:4000", EVERYWHERE, true],
    ["[2001:db8::5]:4000", EVERYWHERE, true],
    ["evil.example:4000", EVERYWHERE, false],
    ["", LOOPBACK, false],
    [undefined, LOOPBACK, false],
  ])("takes the Host %s at %o: %s", (header, options, expected) => {
    expect(isHostAllowed(header, options)).toBe(expected);
  });

  const ADDRESS = { host: "192.168.1.5", port: 4000 };
  const machineName = "My-Laptop";
  test.each([
    // Name, on loopback, everywhere, on one address of the network.
    ["host.docker.internal:4000", false, true, true],
    ["HOST.Docker.Internal:4000", false, true, true],
    ["gateway.docker.internal:4000", false, true, true],
    ["host.containers.internal:4000", false, true, true],
    ["my-laptop:4000", false, true, true],
    ["192.168.1.5:4000", false, true, true],
    ["localhost:4000", true, true, true],
    // What a page in a browser can bring about: its own name, whatever address it leads to.
    ["evil.example:4000", false, false, false],
    ["host.docker.internal.evil.example:4000", false, false, false],
    ["evil.host.docker.internal:4000", false, false, false],
    ["host.docker.internal.:4000", false, false, false],
    ["docker.internal:4000", false, false, false],
    ["host.docker.internal:4001", false, false, false],
    ["host.docker.internal", false, false, false],
    ["my-laptop.evil.example:4000", false, false, false],
    ["my-laptop.local.evil.example:4000", false, false, false],
    ["evil@host.docker.internal:4000", false, false, false],
    ["host.docker.internal:4000, evil.example", false, false, false],
    ["10.0.0.9:4000", false, true, false],
  ])(
    "takes the Host %s on loopback: %s, everywhere: %s, on one address: %s",
    (header, onLoopback, everywhere, onOne) => {
      const answers = [LOOPBACK, EVERYWHERE, ADDRESS].map((at) => isHostAllowed(header, { ...at, machineName }));
      expect(answers).toEqual([onLoopback, everywhere, onOne]);
    },
  );

  test.each([
    ["tools.example.com", true],
    ["tools.example.com:443", true],
    ["Tools.Example.com:4000", true],
    ["evil.tools.example.com", false],
    ["tools.example.com.evil.example", false],
    ["example.com", false],
    ["tools.example.com.", false],
    ["other.example.com", false],
  ])("with --allowed-host tools.example.com takes the Host %s: %s, wherever it listens", (header, expected) => {
    for (const at of [LOOPBACK, EVERYWHERE, ADDRESS])
      expect(isHostAllowed(header, { ...at, machineName, allowedHosts: ["tools.example.com"] })).toBe(expected);
  });
});

describe("isOriginAllowed", () => {
  const ALLOWED = ["http://localhost:5173", "https://app.example"];
  test.each([
    [undefined, true],
    ["http://box.lan:4000", true],
    ["https://box.lan:4000", true],
    ["http://localhost:5173", true],
    ["HTTP://LOCALHOST:5173", true],
    ["https://app.example", true],
    // Endpoints of other servers, and whatever else is on this machine.
    ["http://localhost:6274", false],
    ["https://127.0.0.1", false],
    ["http://127.0.0.1:4000", false],
    ["http://localhost:4000", false],
    ["http://[::1]:3000", false],
    ["https://localhost:5173", false],
    ["http://localhost:5173/", false],
    ["http://localhost:51730", false],
    ["http://127.0.0.1:5173", false],
    ["http://app.example", false],
    ["https://app.example.evil.example", false],
    ["http://box.lan:4001", false],
    ["http://box.lan", false],
    ["http://user@box.lan:4000", false],
    ["http://box.lan:4000 ", false],
    ["ftp://box.lan:4000", false],
    ["https://evil.example", false],
    ["http://localhost.evil.example", false],
    ["http://localhost@evil.example", false],
    ["http://localhost:4000/path", false],
    ["http://box.lan:4000, http://evil.example", false],
    ["vscode-webview://x", false],
    ["file://", false],
    ["null", false],
    ["", false],
  ])("takes the Origin %s at box.lan:4000: %s", (origin, expected) => {
    expect(isOriginAllowed(origin, "box.lan:4000", ALLOWED)).toBe(expected);
  });

  test("takes no origin for its own where no Host is known", () => {
    expect(isOriginAllowed("http://undefined", undefined)).toBe(false);
  });
});
