/**
 * Writes the generated reference pages and the OpenAPI file before the site is built. Run by `scripts/build.mjs`. Unchanged pages
 * are not written again, so that a page's compiled form can be reused.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { openApiDocument } from "@toolhive/api";
import { VERSION_NUMBER } from "@toolhive/cli/facts";
import { stringify } from "yaml";
import { SITE_FACTS_FILE } from "../src/site-facts.ts";
import { apiPages } from "./api-pages.ts";
import { cliPages } from "./cli-pages.ts";
import { clientsPage } from "./clients-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { conformancePage } from "./conformance-page.ts";
import { crdPages } from "./crd-pages.ts";
import { docsFacts } from "./docs-facts.ts";
import { errorPages } from "./errors-page.ts";
import { manifestsPage } from "./manifests-page.ts";
import { measurementsPage, searchCurve } from "./measurements/measurements-page.ts";
import { proxyCharts } from "./measurements/proxy.ts";
import type { OpenApi } from "./openapi-types.ts";
import { withQuestions } from "./page-questions.ts";
import { projectPages } from "./project-pages.ts";
import { recoveryPage } from "./recovery-page.ts";
import { seenMessagesPage } from "./seen-messages-page.ts";
import { serversPage } from "./servers-page.ts";
import { readSession } from "./session.ts";
import { collectSiteFacts } from "./site-facts.ts";
import { statePicture } from "./state-picture.ts";

const websiteDir = process.cwd();
const pagesDir = path.join(websiteDir, "docs/toolhive/reference");
const specificationFile = path.join(websiteDir, "static/api-specs/toolhive-api.yaml");

const document = openApiDocument(`v${VERSION_NUMBER}`);
// The document is what the server hands out as JSON; the page reads the parts it knows.
const pages = [
  ...apiPages(document as unknown as OpenApi),
  ...crdPages(),
  manifestsPage(),
  clientsPage(),
  ...errorPages(path.join(websiteDir, "..")),
  seenMessagesPage(),
  configurationPage(),
  conformancePage(),
  serversPage(),
  recoveryPage(),
  measurementsPage(),
  ...projectPages(path.join(websiteDir, "..")),
  ...cliPages(),
];

const asked = pages.map(withQuestions);
const wanted = new Set(pages.map((page) => path.join(pagesDir, page.path)));
for (const folder of ["api", "cli", "crd-spec", "errors"])
  await mkdir(path.join(pagesDir, folder), { recursive: true });
for (const entry of await readdir(pagesDir, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath, entry.name);
  if (entry.isFile() && !wanted.has(file)) await rm(file);
}
for (const page of asked) await writeIfChanged(path.join(pagesDir, page.path), page.content);
await mkdir(path.dirname(specificationFile), { recursive: true });
await writeIfChanged(specificationFile, stringify(document));

const distDir = path.join(websiteDir, "dist");
const facts = docsFacts(path.join(websiteDir, ".."), document as unknown as OpenApi);
await writeIfChanged(
  path.join(distDir, "docs-facts.json"),
  JSON.stringify({ version: `v${VERSION_NUMBER}`, ...facts }),
);

const imageDir = path.join(websiteDir, "static/img");
for (const mode of ["light", "dark"] as const) {
  await writeIfChanged(path.join(imageDir, `search-curve-${mode}.svg`), searchCurve(mode));
  await writeIfChanged(path.join(imageDir, `workload-states-${mode}.svg`), statePicture(mode));
  for (const { file, picture } of proxyCharts(mode)) await writeIfChanged(path.join(imageDir, file), picture);
}

const quickstart = await readFile(path.join(websiteDir, "docs/toolhive/tutorials/quickstart-cli.mdx"), "utf8");
const generatedDir = path.join(websiteDir, "src/generated");
await mkdir(generatedDir, { recursive: true });
await writeIfChanged(path.join(generatedDir, "session.json"), JSON.stringify(readSession(quickstart), null, 2));
await writeIfChanged(path.join(websiteDir, SITE_FACTS_FILE), JSON.stringify(collectSiteFacts(), null, 2));

async function writeIfChanged(file: string, content: string): Promise<void> {
  const current = await readFile(file, "utf8").catch(() => undefined);
  if (current !== content) await writeFile(file, content);
}
