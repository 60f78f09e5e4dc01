/** What the operations on the server itself do. */
import { ThvError, type WorkloadSupervisor } from "@toolhive/core";
import type { Handlers } from "../contract/contract.ts";
import type { SYSTEM_OPERATIONS } from "../contract/system.ts";
import { openApiDocument } from "../openapi/openapi.ts";

/** Milliseconds the container engine has to answer for `/health`. */
const HEALTH_TIMEOUT_MS = 3_000;

export function systemHandlers(
  workloads: WorkloadSupervisor,
  version: string,
): Pick<Handlers, keyof typeof SYSTEM_OPERATIONS> {
  const document = openApiDocument(version);
  return {
    getHealth: async (_input, { signal }) => {
      const timeout = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
      try {
        await workloads.pingEngine(AbortSignal.any([signal, timeout]));
      } catch (error) {
        if (!timeout.aborted) throw error;
        throw new ThvError("ENGINE_UNREACHABLE", `no answer within ${HEALTH_TIMEOUT_MS / 1000} s`, { cause: error });
      }
    },
    getOpenApi: async () => document,
    getVersion: async () => ({ version }),
  };
}
