/**
 * The file system with a fault: the calls that change something are counted, and from one of them on they fail, as they
 * do after a power loss, or that one fails, as it does on a full disk. For `vi.mock("node:fs/promises", …)`.
 */
import { constants } from "node:fs";
import type * as fs from "node:fs/promises";

type Promises = typeof fs;

export type Fault =
  /** The machine is gone from that call on: half of what was being written may be there. */
  | { readonly kind: "power-loss"; readonly atStep: number }
  /** One call that makes or writes something fails with that code; the program goes on and may tidy up. */
  | { readonly kind: "error"; readonly atStep: number; readonly code: "ENOSPC" | "EACCES" | "EROFS" };

export class PowerLoss extends Error {
  override readonly name = "PowerLoss";
}

/** Names of calls that change something. */
const CHANGING = ["writeFile", "rename", "rm", "rmdir", "unlink", "mkdir", "link", "chmod", "copyFile"] as const;

let fault: Fault | undefined;
let steps = 0;

/** Begins to count anew. Without a fault nothing fails. */
export function setFault(next: Fault | undefined): void {
  fault = next;
  steps = 0;
}

/** Changing calls since `setFault`. */
export function countSteps(): number {
  return steps;
}

/** Calls that neither need room nor another right than the one with which the thing was made. */
const TIDYING: readonly string[] = ["rm", "rmdir", "unlink"];

/** @param partly Does half of the call: what a fault in the middle leaves. */
async function step<T>(run: () => Promise<T>, partly: () => Promise<unknown> = async () => undefined): Promise<T> {
  steps += 1;
  if (!fault) return await run();
  if (fault.kind === "power-loss") {
    if (steps === fault.atStep) await partly();
    if (steps >= fault.atStep) throw new PowerLoss(`The power is gone at step ${fault.atStep}.`);
    return await run();
  }
  if (steps !== fault.atStep) return await run();
  await partly();
  throw Object.assign(new Error(`${fault.code}: made to fail`), { code: fault.code, path: "/made/to/fail" });
}

/** @param actual The real module. */
export function failingFiles(actual: Promises): Promises {
  const changed: Record<string, unknown> = {};
  for (const name of CHANGING) {
    const real = actual[name] as (...args: unknown[]) => Promise<unknown>;
    changed[name] = (...args: unknown[]) => {
      const isExempt = fault?.kind !== "power-loss" && TIDYING.includes(name);
      return isExempt ? real(...args) : step(() => real(...args));
    };
  }
  const open = async (...args: Parameters<Promises["open"]>) => {
    const [, flags = "r"] = args;
    const isReading =
      typeof flags === "number" ? (flags & (constants.O_WRONLY | constants.O_RDWR)) === 0 : flags === "r";
    if (isReading) return watchHandle(await actual.open(...args));
    return watchHandle(await step(() => actual.open(...args)));
  };
  return { ...actual, ...changed, open };
}

function watchHandle(handle: fs.FileHandle): fs.FileHandle {
  return new Proxy(handle, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const real = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
      if (name === "sync") return () => step(() => real());
      if (name !== "writeFile") return real;
      return (content: string | Uint8Array, ...more: unknown[]) =>
        step(
          () => real(content, ...more),
          () => real(content.slice(0, Math.floor(content.length / 2)), ...more),
        );
    },
  });
}
