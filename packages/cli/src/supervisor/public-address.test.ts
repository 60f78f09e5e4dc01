import { expect, test } from "vitest";
import { checkAddressFlags } from "./public-address.ts";

const check = (socket: string, platform: NodeJS.Platform) => checkAddressFlags({ allowedOrigin: [], socket }, platform);

test.each(["\\\\.\\pipe\\mine", "\\\\?\\pipe\\mine"])("%s is a socket on Windows", (socket) => {
  expect(() => check(socket, "win32")).not.toThrow();
});

test.each(["C:\\Users\\ada\\thv.sock", "/tmp/thv.sock", "thv.sock"])("%s is none on Windows", (socket) => {
  expect(() => check(socket, "win32")).toThrow(
    expect.objectContaining({ code: "USAGE", hint: expect.stringContaining("\\\\.\\pipe\\") }),
  );
});
