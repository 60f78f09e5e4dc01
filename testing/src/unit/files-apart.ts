/** The unit tests' files that each need a process of their own, with the reason. All others share processes. */
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const REPLACES_MODULE =
  "Replaces a module with vi.mock. What loaded it before, for another file, would keep the real one.";
const MEASURES = "Measures this process's processor time or memory. What other files left would count.";
const FAKES_TIME =
  "Fakes the timers of its process. What an earlier file left, such as a connection of fetch, would run on them: days of its ticks.";
const CHANGES_PROCESS = "Loads a library that sets globals or variables of its process.";

const FILES_APART: Readonly<Record<string, string>> = {
  "packages/core/src/registry/catalog/redirected-registry.test.ts": REPLACES_MODULE,
  "packages/core/src/supervision/containers/closed-networks.test.ts": REPLACES_MODULE,
  "packages/core/tests/power-loss.test.ts": REPLACES_MODULE,
  "packages/proxy/src/messages/caller.test.ts": REPLACES_MODULE,
  "packages/api/src/worst-inputs.test.ts": MEASURES,
  "packages/core/src/access/telemetry-config.test.ts": MEASURES,
  "packages/core/src/testing/measure-cost.test.ts": MEASURES,
  "packages/core/tests/worst-answers.test.ts": MEASURES,
  "packages/core/tests/worst-inputs.test.ts": MEASURES,
  "packages/engine/src/worst-inputs.test.ts": MEASURES,
  "packages/proxy/src/http/event-filter.test.ts": MEASURES,
  "packages/proxy/src/observe/redact.test.ts": MEASURES,
  "packages/proxy/tests/header-costs.test.ts": MEASURES,
  "packages/proxy/tests/worst-inputs.test.ts": MEASURES,
  "packages/search/src/service/worst-inputs.test.ts": MEASURES,
  "packages/search/src/wire/highlight.test.ts": MEASURES,
  "packages/api/src/events.test.ts": FAKES_TIME,
  "packages/cli/src/supervisor/end-when-idle.test.ts": FAKES_TIME,
  "packages/cli/src/terminal/progress.test.ts": FAKES_TIME,
  "packages/core/src/supervision/change-cost.test.ts": FAKES_TIME,
  "packages/core/src/supervision/create-workload.test.ts": FAKES_TIME,
  "packages/core/src/supervision/engine-link.test.ts": FAKES_TIME,
  "packages/core/src/supervision/remote-restart.test.ts": FAKES_TIME,
  "packages/core/src/supervision/remote-workload.test.ts": FAKES_TIME,
  "packages/core/src/supervision/workload-supervisor.test.ts": FAKES_TIME,
  "packages/core/src/support/backoff.test.ts": FAKES_TIME,
  "packages/core/src/files/kept-write.test.ts": FAKES_TIME,
  "packages/core/src/tool-pins/other-order.test.ts": FAKES_TIME,
  "packages/core/src/tool-pins/pin-bounds.test.ts": FAKES_TIME,
  "packages/core/tests/engine-recovery.test.ts": FAKES_TIME,
  "packages/core/tests/remote-engine.test.ts": FAKES_TIME,
  "packages/core/tests/supervisor-recovery.test.ts": FAKES_TIME,
  "packages/core/tests/workload-edit.test.ts": FAKES_TIME,
  "packages/core/tests/workload-isolation.test.ts": FAKES_TIME,
  "packages/core/tests/workload-pins.test.ts": FAKES_TIME,
  "packages/core/tests/workload-recovery.test.ts": FAKES_TIME,
  "packages/core/tests/workload-removal.test.ts": FAKES_TIME,
  "packages/core/tests/workload-simulation.test.ts": FAKES_TIME,
  "packages/core/tests/workload-sleep.test.ts": FAKES_TIME,
  "packages/core/tests/workload-update.test.ts": FAKES_TIME,
  "packages/core/tests/workload-upgrade.test.ts": FAKES_TIME,
  "packages/operator/src/runner/idle/idle-gate.test.ts": FAKES_TIME,
  "packages/proxy/src/group/spaced-work.test.ts": FAKES_TIME,
  "scripts/lib/terminal.test.ts": FAKES_TIME,
  "website/plugins/framework-patches/search-client/client/transport.test.ts": FAKES_TIME,
  "scripts/regular-expressions.test.ts": CHANGES_PROCESS,
  "scripts/workflows.test.ts": CHANGES_PROCESS,
};

/** @param file Its absolute path. */
export function isFileApart(file: string): boolean {
  return Object.hasOwn(FILES_APART, relative(ROOT, file).split(sep).join("/"));
}

/** @returns Paths from the repository's root. */
export function listFilesApart(): readonly string[] {
  return Object.keys(FILES_APART);
}
