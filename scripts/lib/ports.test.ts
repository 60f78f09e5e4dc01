import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { describePortOwner, isPortFree, parseListeners, parseLsof, parsePort } from "./ports.mjs";

describe("parsePort", () => {
  test("without a value the default is used", () => {
    expect([parsePort("PORT", undefined, 3000), parsePort("PORT", "", 3000)]).toEqual([3000, 3000]);
  });

  test.each(["0", "65536", "80a", "-1", "3000.5"])("%s is refused with the variable's name", (text) => {
    expect(() => parsePort("PORT", text, 3000)).toThrow(`PORT is "${text}"`);
  });
});

test("only sockets that listen on the port are its listeners", () => {
  const table = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
    "   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1001 1",
    "   1: 0100007F:0BB8 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 1002 1",
    "   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1003 1",
  ].join("\n");

  expect(parseListeners(table, 3000)).toEqual(["1001"]);
});

test("lsof's fields become a command and a process id", () => {
  expect(parseLsof("p4711\ncnode\n")).toBe("node (pid 4711)");
  expect(parseLsof("")).toBeUndefined();
});

test("a port in use is not free, and its owner is named", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const whileInUse = await isPortFree(port, "127.0.0.1");
  const owner = describePortOwner(port);
  server.close();
  await once(server, "close");

  expect(whileInUse).toBe(false);
  expect(await isPortFree(port, "127.0.0.1")).toBe(true);
  if (process.platform === "linux") expect(owner).toContain(`(pid ${process.pid})`);
});
