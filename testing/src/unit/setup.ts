/**
 * Runs before each file of unit tests. The files share processes (`./shared-forks.ts`), so that a file which leaves something
 * changed fails, by name, instead of another one that runs later.
 */
import { afterAll, beforeAll, expect, vi } from "vitest";
import { isFileApart } from "./files-apart.ts";
import { listChanges, readProcessState } from "./process-state.ts";

const before = readProcessState();
const directory = process.cwd();
const environment = { ...process.env };

/** Milliseconds: far more than any wait needs, because tests also run beside other work. vitest's own limit is a second. */
const WAIT_MS = 20_000;
const PATIENT = Symbol.for("thv-patient-waits");
if (!Object.hasOwn(vi, PATIENT)) {
  const { waitFor, waitUntil } = vi;
  const withLimit = <T extends object>(options: number | T | undefined) =>
    typeof options === "number" ? options : { timeout: WAIT_MS, ...options };
  vi.waitFor = (condition, options) => waitFor(condition, withLimit(options));
  vi.waitUntil = (condition, options) => waitUntil(condition, withLimit(options));
  Object.defineProperty(vi, PATIENT, { value: true });
}

/** Files that ran in this process, of which each has a set-up of its own. */
const FILES = Symbol.for("thv-test-files");
const shared = globalThis as { [FILES]?: string[] };

beforeAll(() => {
  const file = expect.getState().testPath ?? "";
  const earlier = shared[FILES] ?? [];
  shared[FILES] = [...earlier, file];
  const other = earlier.find((each) => isFileApart(each) || isFileApart(file));
  if (other === undefined) return;
  throw new Error(
    `${file} runs in a process in which ${other} ran. Run with two workers or more, as vitest.config.ts does.`,
  );
});

// The hooks of the file itself run before this one.
afterAll(() => {
  // Its process ends with it.
  if (isFileApart(expect.getState().testPath ?? "")) return;
  const changes = listChanges(before, readProcessState());
  if (vi.isFakeTimers()) changes.push("the timers, which are fake");
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  process.chdir(directory);
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(environment, name)) delete process.env[name];
  Object.assign(process.env, environment);

  expect(changes, "what this file leaves changed in its process").toEqual([]);
});
