/** Counts the calls of an endpoint whose clients may find tools instead of listing them. */
import type { UsageSink } from "@toolhive/core";
import { combineObservers, type Observer } from "../observe/observer.ts";
import { UsageMeter } from "../observe/usage-meter.ts";
import { CALL_TOOL, FIND_TOOL, TWO_TOOLS_BYTES } from "./find-calls.ts";

/** @param observer Sees the same messages. @returns `undefined` when there is nobody to see any. */
export function meterUsage(
  observer: Observer | undefined,
  sink: UsageSink | undefined,
  rules: { readonly isFinding: boolean },
): Observer | undefined {
  if (sink === undefined) return observer;
  const meter = new UsageMeter({
    sink,
    now: () => performance.now(),
    measureInstead: () => (rules.isFinding ? TWO_TOOLS_BYTES : undefined),
    isInstead: (tool) => tool === FIND_TOOL || tool === CALL_TOOL,
  });
  return observer === undefined ? meter : combineObservers([observer, meter]);
}
