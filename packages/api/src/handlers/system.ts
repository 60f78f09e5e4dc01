/** What the operations on the server itself do. */
import { BRAND, ThvError, type WorkloadSupervisor } from "@toolhive/core";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { Handlers } from "../contract/contract.ts";
import type { SYSTEM_OPERATIONS } from "../contract/process/system.ts";
import { openApiDocument } from "../openapi/openapi.ts";
import type { SupervisorProcess } from "./process/supervisor.ts";

/** Milliseconds the container engine has to answer for `/health`. */
const HEALTH_TIMEOUT_MS = 3_000;

interface SystemParts {
  readonly workloads: WorkloadSupervisor;
  readonly supervisor: SupervisorProcess;
  readonly version: string;
}

export function systemHandlers({
  workloads,
  supervisor,
  version,
}: SystemParts): Pick<Handlers, keyof typeof SYSTEM_OPERATIONS> {
  // Made when a client asks for it: most processes end without that, and it is a tenth of the processor time of their start.
  let document: ReturnType<typeof openApiDocument> | undefined;
  let examination: ReturnType<SupervisorProcess["examine"]> | undefined;
  return {
    getHealth: async (_input, { signal }) => {
      const timeout = startTimeout(HEALTH_TIMEOUT_MS);
      try {
        await workloads.pingEngine(AbortSignal.any([signal, timeout]));
      } catch (error) {
        if (!timeout.aborted) throw error;
        throw new ThvError("ENGINE_UNREACHABLE", `no answer within ${HEALTH_TIMEOUT_MS / 1000} s`, { cause: error });
      }
    },
    getOpenApi: async () => {
      document ??= openApiDocument(version);
      return document;
    },
    getSystem: async () => {
      const { pid, startedAt, mode, engine } = supervisor.describe();
      return {
        product: BRAND.product,
        command: BRAND.command,
        docs_url: `${BRAND.siteUrl}/${BRAND.docsSegment}`,
        version,
        channel: supervisor.channel,
        mode,
        pid,
        started_at: startedAt,
        memory: { rss_bytes: process.memoryUsage.rss() },
        ...(engine && {
          engine: {
            kind: engine.kind,
            version: engine.version,
            address: engine.address,
            missing_limits: engine.missingLimits,
          },
        }),
      };
    },
    runDoctor: async () => {
      examination ??= supervisor.examine().finally(() => {
        examination = undefined;
      });
      return { findings: await examination };
    },
    getVersion: async () => ({ version }),
  };
}
