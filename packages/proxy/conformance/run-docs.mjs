/**
 * `npm run conformance:docs -w @toolhive/proxy`: the official conformance suite against `/mcp` of the built site, in both eras of the
 * protocol. Fails when a scenario fails that is not below, or when one below does not fail any more. The suite speaks streamable
 * HTTP only; over stdio, `packages/cli/tests/docs-mcp.test.ts` asks the same server with the official client.
 * Run `npm run build -w @toolhive/website` before.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installSuite, runSuite } from "./suite.mjs";

const VERSION = "0.2.0-alpha.12";
const REVISIONS = ["2025-11-25", "2026-07-28"];

const FIXTURE = "Calls tools and reads resources of the suite's own example server.";
const NO_PROMPTS = "There are no prompts, and the server does not say that it has some.";
const NO_ASKING = "Needs a tool of the suite that asks the client for something; nothing here asks.";
const NO_SUBSCRIPTIONS = "Nothing can be subscribed to: the pages of one version stay as they are.";

/** Scenarios that fail, by the beginning of their names: why, and how many of their checks fail, in either revision. */
const EXCEPTIONS = [
  { begin: "tools-call-", failed: 1, reason: FIXTURE },
  { begin: "json-schema-2020-12", failed: 1, reason: FIXTURE },
  { begin: "resources-read-", failed: 1, reason: FIXTURE },
  { begin: "resources-templates-read", failed: 1, reason: FIXTURE },
  { begin: "resources-subscribe", failed: 1, reason: NO_SUBSCRIPTIONS },
  { begin: "resources-unsubscribe", failed: 1, reason: NO_SUBSCRIPTIONS },
  {
    begin: "logging-set-level",
    failed: 1,
    reason: "Nothing is logged to clients, and the server does not say that it is.",
  },
  { begin: "prompts-", failed: 1, reason: NO_PROMPTS },
  {
    begin: "completion-complete",
    failed: 1,
    reason: "Completes an argument of a prompt; here paths of pages are completed.",
  },
  { begin: "caching", failed: 1, reason: `prompts/list: ${NO_PROMPTS}` },
  { begin: "elicitation-", failed: 1, reason: NO_ASKING },
  { begin: "input-required-result-", failed: 1, reason: NO_ASKING },
  {
    begin: "http-custom-header-server-validation",
    failed: 5,
    reason: "Needs a tool that takes arguments from headers; there is none.",
  },
  {
    begin: "server-stateless",
    failed: 6,
    reason: `Four checks need the suite's diagnostic tools; two need subscriptions. ${NO_SUBSCRIPTIONS}`,
  },
];

/** The built site on a port of the system's choice. */
async function startSite() {
  const program = fileURLToPath(new URL("../../../website/dist/server.mjs", import.meta.url));
  const env = { ...process.env, PORT: "0", HOST: "127.0.0.1", ACCESS_LOG: "off", SEARCH_EVENTS_FILE: "off" };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${program} ended with exit code ${code}; is the site built?`)));
    child.stdout.setEncoding("utf8").on("data", (text) => {
      const [, found] = /:(\d+)\s*$/m.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => child.kill() };
}

const suite = installSuite(VERSION);
const site = await startSite();
try {
  const needed = new Set();
  for (const revision of REVISIONS) {
    const scenarios = await runSuite(suite, site.url, revision);
    if (scenarios.length === 0) throw new Error(`The suite ran no scenario of revision ${revision}.`);
    const unexpected = scenarios.filter(({ scenario, failed }) => {
      const exception = EXCEPTIONS.find(({ begin }) => scenario.startsWith(begin));
      if (failed > 0 && exception !== undefined) needed.add(exception);
      return failed > (exception?.failed ?? 0);
    });
    const passed = scenarios.reduce((sum, scenario) => sum + scenario.passed, 0);
    const failed = scenarios.reduce((sum, scenario) => sum + scenario.failed, 0);
    console.log(
      `revision ${revision}: ${passed} checks passed, ${failed} failed, ${unexpected.length} scenarios unexpectedly`,
    );
    for (const one of unexpected) {
      console.log(`  ${one.scenario}: ${one.failed} failed`);
      process.exitCode = 1;
    }
  }
  for (const { begin } of EXCEPTIONS.filter((exception) => !needed.has(exception))) {
    console.log(`${begin}: does not fail any more; remove its exception`);
    process.exitCode = 1;
  }
} finally {
  site.stop();
}
