import { expect, test } from "vitest";
import { parseLdd } from "./layers.ts";

test("every library that ldd resolves is listed, the kernel's own is not", () => {
  const output = [
    "\tlinux-vdso.so.1 (0x00007ff6f0464000)",
    "\tlibdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007ff6f044e000)",
    "\tlibmissing.so => not found",
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007ff6f0466000)",
  ].join("\n");

  expect(parseLdd(output)).toEqual(["/lib/x86_64-linux-gnu/libdl.so.2", "/lib64/ld-linux-x86-64.so.2"]);
});

test("a static program needs no library", () => {
  expect(parseLdd("\tnot a dynamic executable\n")).toEqual([]);
});
