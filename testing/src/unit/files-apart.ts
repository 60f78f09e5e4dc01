/** The unit tests' files that each need a process of their own, with the reason. All others share processes. */
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const REPLACES_MODULE =
  "Replaces a module with vi.mock. What loaded it before, for another file, would keep the real one.";
const MEASURES = "Measures this process's processor time or memory. What other files left would count.";
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
