import { expect, test } from "vitest";
import { createWriteError } from "./file-failure.ts";
import { retryInUse } from "./retry-in-use.ts";

/** Work that fails a number of times. */
function createWork(code: string, failures: number) {
  let calls = 0;
  const work = async () => {
    calls++;
    if (calls <= failures) throw Object.assign(new Error(`${code}: rename`), { code });
    return "done";
  };
  return { work, count: () => calls };
}

const waits: number[] = [];
const wait = async (ms: number) => waits.push(ms);

test.each(["EPERM", "EACCES", "EBUSY"])(
  "on Windows, %s is tried again until the other program lets go",
  async (code) => {
    const { work, count } = createWork(code, 3);

    expect(await retryInUse(work, { platform: "win32", wait })).toBe("done");
    expect(count()).toBe(4);
  },
);

test("a file that stays open is given up, after 2.6 s", async () => {
  const { work, count } = createWork("EBUSY", 1_000);
  waits.length = 0;

  await expect(retryInUse(work, { platform: "win32", wait })).rejects.toMatchObject({ code: "EBUSY" });

  expect(count()).toBe(9);
  expect(waits.reduce((sum, ms) => sum + ms)).toBe(2_550);
});

test.each([
  ["win32", "ENOSPC"],
  ["win32", "ENOENT"],
  ["linux", "EPERM"],
  ["darwin", "EBUSY"],
] as const)("on %s, %s is reported at once", async (platform, code) => {
  const { work, count } = createWork(code, 1);

  await expect(retryInUse(work, { platform, wait })).rejects.toMatchObject({ code });

  expect(count()).toBe(1);
});

test.each(["EPERM", "EACCES", "EBUSY"])("on Windows, %s is said to be another program or a permission", (code) => {
  const failure = Object.assign(new Error(code), { code });

  expect(createWriteError(failure, "C:\\Users\\ada\\config.yaml", "written", "win32")).toMatchObject({
    code: "FILE_FAILED",
    message: "C:\\Users\\ada\\config.yaml cannot be written: another program has it open, or you have no permission.",
    hint: 'Close it in the other program, then try again. See who may change it: icacls "C:\\Users\\ada\\config.yaml"',
  });
});
