/** What a user should know about one server on the engine that runs it. */
import type { EngineInfo } from "../../ports/container-engine.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import { listUnkeptLimits } from "../bounds/unkept-limits.ts";
import type { ContainerUser } from "../containers/container-user.ts";

/** @returns A sentence for each limit that the engine cannot keep, and for each folder that the server's user cannot use. */
export function listEngineWarnings(
  { engine, user }: { engine: EngineInfo | undefined; user: ContainerUser | undefined },
  config: Pick<RunConfig, "limits">,
): string[] {
  return [...(engine ? listUnkeptLimits(engine, config) : []), ...(user?.warnings ?? [])];
}
