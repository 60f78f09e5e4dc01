/** What an executable needs of a system is read from the executable itself: this Node.js, where that is one for Linux. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findMinimumGlibc, readNeeds } from "./elf.mjs";

const [runtime] = /^\d+\.\d+/.exec(String(process.report.getReport().header.glibcVersionRuntime ?? "")) ?? [];
const isGlibc = process.platform === "linux" && runtime !== undefined;

test.skipIf(!isGlibc)(
  `Node.js needs the C library, and a version of it that is here${isGlibc ? "" : " (skipped: this Node.js is not for glibc)"}`,
  () => {
    const { libraries, versions } = readNeeds(readFileSync(process.execPath));
    const minimum = findMinimumGlibc(versions);

    expect(libraries).toContain("libc.so.6");
    expect(versions).toContain(`GLIBC_${minimum}`);
    expect(Number(minimum.split(".")[1])).toBeLessThanOrEqual(Number(runtime?.split(".")[1]));
  },
);

test("the least C library that has every version is the newest of them, as numbers", () => {
  expect(findMinimumGlibc(["GLIBC_2.9", "GLIBC_2.28", "GLIBC_2.3.4", "GLIBCXX_3.4.30", "GCC_3.0"])).toBe("2.28");
  expect(() => findMinimumGlibc(["GCC_3.0"])).toThrow("no version of the GNU C library");
});

test("what is no such executable is refused", () => {
  expect(() => readNeeds(Buffer.from("#!/bin/sh\n"))).toThrow("no 64-bit");
  expect(() => readNeeds(Buffer.alloc(64))).toThrow("no 64-bit");
});
