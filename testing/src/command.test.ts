import { expect, test } from "vitest";
import { mustRun, runCommand } from "./command.ts";

const node = (script: string, options = {}) => runCommand(process.execPath, ["-e", script], options);

test("a command's exit code, stdout and stderr are its result", async () => {
  const result = await node("console.log('out'); console.error('err'); process.exitCode = 5");

  expect(result).toEqual({ code: 5, stdout: "out\n", stderr: "err\n" });
});

test("a command reads its input to the end", async () => {
  const result = await node("process.stdin.pipe(process.stdout)", { input: "one\ntwo\n" });

  expect(result.stdout).toBe("one\ntwo\n");
});

test("a command that does not read its input ends all the same", async () => {
  const result = await node("process.exit(0)", { input: "x".repeat(1_000_000) });

  expect(result.code).toBe(0);
});

test("a command that is cancelled reports the signal as a shell does", async () => {
  const abort = new AbortController();

  const running = node("console.log('up'); setInterval(() => {}, 1000)", {
    signal: abort.signal,
    killSignal: "SIGINT",
    onOutput: () => abort.abort(),
  });

  expect((await running).code).toBe(130);
});

test("a program that is not there is an error with its name", async () => {
  await expect(runCommand("no-such-program-anywhere", [])).rejects.toThrow("no-such-program-anywhere");
});

test("a command that must succeed fails with its stderr", async () => {
  await expect(mustRun(process.execPath, ["-e", "console.error('no disk'); process.exit(1)"])).rejects.toThrow(
    /ended with 1: no disk/,
  );
});
