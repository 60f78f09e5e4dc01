/** Limits that an engine cannot keep: who keeps them instead, and what a user should know about it. */
import type { EngineInfo, LimitName, ResourceLimits } from "../../ports/container-engine.ts";
import { ThvError } from "../../support/errors.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import { resolveLimits } from "../containers/container-spec.ts";

type Limited = Pick<RunConfig, "limits">;
type Engine = Pick<EngineInfo, "missingLimits" | "isRemote">;

const FLAGS: Readonly<Record<LimitName, string>> = { memory: "--memory", cpus: "--cpus", pids: "--pids-limit" };
const WORDS: Readonly<Record<LimitName, string>> = { memory: "memory", cpus: "processors", pids: "processes" };
const MEMBERS = { memory: "memory_bytes", cpus: "cpus", pids: "pids" } as const;

/** How an engine learns to limit; the same everywhere. */
export const LIMITS_REMEDY =
  "A rootless engine limits servers with control groups of version 2 that are delegated to its user: see the page about custom permissions.";

/** The supervisor reads processes of its own machine, where the kernel shows them as files. */
function canKeepItself(name: LimitName, { isRemote }: Engine, platform: NodeJS.Platform): boolean {
  return name !== "cpus" && !isRemote && platform === "linux";
}

/** @returns One sentence for limits that are not enforced, one for those that the supervisor enforces. */
export function listUnkeptLimits(engine: Engine, config: Limited, platform = process.platform): string[] {
  const { memoryBytes, cpus, pids } = resolveLimits(config);
  const bounds = { memory: memoryBytes, cpus, pids };
  const missing = (engine.missingLimits ?? []).filter((name) => bounds[name] > 0);
  const kept = missing.filter((name) => canKeepItself(name, engine, platform));
  const open = missing.filter((name) => !kept.includes(name));
  return [
    ...(kept.length > 0
      ? [`The container engine cannot limit ${formatNames(kept)}; the supervisor ends the server at its bound instead.`]
      : []),
    ...(open.length > 0 ? [`The container engine cannot limit ${formatNames(open)}, so nothing does.`] : []),
  ];
}

/** @throws {ThvError} `INVALID_ARGUMENT` for a requested limit that neither the engine nor the supervisor can enforce. */
export function assertKeepableLimits(engine: Engine, { limits = {} }: Limited, platform = process.platform): void {
  const broken = (engine.missingLimits ?? []).filter(
    (name) => (limits[MEMBERS[name]] ?? 0) > 0 && !canKeepItself(name, engine, platform),
  );
  if (broken.length === 0) return;
  const given = broken.map((name) => `${FLAGS[name]} ${limits[MEMBERS[name]]}`).join(", ");
  throw new ThvError("INVALID_ARGUMENT", `The container engine cannot limit ${formatNames(broken)}: ${given}.`, {
    hint: `Leave it out. ${LIMITS_REMEDY}`,
  });
}

/** Limits that the supervisor has to keep; 0 for those that the engine keeps. */
export function pickOwnLimits(
  engine: Engine,
  config: Limited,
  platform = process.platform,
): Pick<ResourceLimits, "memoryBytes" | "pids"> | undefined {
  const isOwn = (name: LimitName) => engine.missingLimits?.includes(name) && canKeepItself(name, engine, platform);
  const { memoryBytes, pids } = resolveLimits(config);
  const own = { memoryBytes: isOwn("memory") ? memoryBytes : 0, pids: isOwn("pids") ? pids : 0 };
  return own.memoryBytes > 0 || own.pids > 0 ? own : undefined;
}

function formatNames(names: readonly LimitName[]): string {
  const words = names.map((name) => WORDS[name]);
  const last = words.pop() ?? "";
  return words.length === 0 ? last : `${words.join(", ")} and ${last}`;
}
