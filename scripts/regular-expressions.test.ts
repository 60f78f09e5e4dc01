/**
 * Every regular expression of what runs at a user's or for readers is proven linear: one that begins anew at each character
 * of a text that somebody else wrote stops the whole process. What cannot be proven stands below, with its reason.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findRegularExpressions, openProver } from "./lib/regular-expressions.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What runs on a user's machine, on the site's server and in a reader's browser; not what builds the pages. */
const SOURCES = ["packages/*/src/**", "website/server/**", "website/src/**", "website/plugins/**/client/**"];
const IS_SOURCE = /\.(?:[cm]?[jt]s|tsx)$/;
const IS_OTHER = /\.test\.tsx?$|\.d\.ts$|\/(?:testing|bench|fixtures)\//;

/** Proofs of all that is proven; one that is missing is made when the test runs. */
const PROOFS = join(ROOT, "scripts/lib/proven-expressions.json");

const OWN_PAGES = "Reads the pages of our own build, when the index is made.";
const COMING_PAGES = "Reads our own pages, which come with thv.";
const OWN_SETTING = "Reads an address that whoever runs the index has set.";
const SHORT_FRAME = "Reads at most 1,000 bytes before or behind the result of an answer.";
const SHORT_QUERY = "Reads the query of an event, cut to 512 characters before.";

const SHORT_LINES = "Reads lines of a server that failed, each cut to 400 characters.";
const FEW_LINES =
  "Reads at most 120 lines of at most 400 characters; each repetition is bounded or follows a fixed text.";

/** Literals for which there is no proof, by file. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "packages/cli/src/commands/service/launchd.ts": {
    "/^\\s*state = running$/m": "Reads what launchctl says of our own service.",
  },
  "packages/cli/src/topics/render-error.ts": { "/\\[([^\\]]+)\\]\\([^)]*\\)/g": "Reads our own guide to errors." },
  "packages/cli/src/terminal/render-markdown.ts": {
    "/<[^>]*>/g": COMING_PAGES,
    "/\\s*\\n\\s*/g": COMING_PAGES,
  },
  "packages/core/src/target/target.ts": {
    "/^((?:[a-zA-Z0-9-]+(?:\\.[a-zA-Z0-9-]+)+\\/)?[a-zA-Z0-9][a-zA-Z0-9._-]*)(?:@([a-zA-Z0-9][a-zA-Z0-9.+_-]{0,254}))?$/":
      "Anchored; dots, the slash and the @ part it, so that there are two ways at most.",
  },
  "packages/core/src/client-import/placeholders.ts": {
    "/\\$\\{\\{[^{}]*\\}\\}|\\{\\{[^{}]*\\}\\}|\\$\\{[^${}]*\\}|\\{(?:env|file):[^{}]*\\}|\\$\\([^()]*\\)|%[A-Z][A-Z_]{3}[A-Z0-9_]*%|^COPILOT_MCP_[A-Z0-9_]+$|(?<![\\w$])\\$[A-Z_][A-Z0-9_]{2,}/g":
      "Each repetition stops at the character with which every other way begins.",
  },
  "packages/core/src/secrets/secret-like.ts": {
    "/^<.*>$|^\\[.*\\]$|\\*{3}|x{4}|\\.\\.\\.|…|(?:^|[^a-z])(?:your|replace|insert|change)[-_ ]?(?:me|this|with)?(?:[^a-z]|$)|placeholder|[-_ ]here$|^[\\w .-]{0,60}(?:access|api|auth)[ _-]?(?:token|key)$/i":
      "Reads a value of at most 200 characters.",
  },
  "packages/core/src/pasted/read-pasted.ts": {
    "/^\\s*(?:PS [^>\\n]{0,200}>|[A-Za-z]:\\\\[^>\\n]{0,200}>|[$%❯➜>])\\s+/":
      "Anchored; each repetition stops at the character that follows it, and each way begins with another character.",
  },
  "packages/docs/src/library/distill-message.ts": {
    "/^(?:\\[?\\d{4}[-/]\\d\\d[-/]\\d\\d[T ][\\d:.,]+(?:Z|[+-]\\d\\d:?\\d\\d)?\\]?|\\[?\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?\\]?|\\[?(?:info|warn(?:ing)?|debug|trace|error|fatal)\\]?:?(?= )|\\[[\\w.-]{1,40}\\]|\\(?pid[ =:]\\d+\\)?|[>|$#])\\s*/i":
      "Anchored; each way begins with another character or has a fixed length.",
  },
  "packages/docs/src/pack/find-sections.ts": { "/\\]\\([^)]*\\)/g": COMING_PAGES },
  "packages/core/src/groups/server-prefixes.ts": {
    "/[\\p{Pc}\\p{Pd}\\u02cd\\u07fa\\u2581]{2,}|[^\\p{L}\\p{N}\\p{Pc}\\p{Pd}\\u02cd\\u07fa\\u2581]|[\\p{Pc}\\p{Pd}\\u02cd\\u07fa\\u2581](?=[^\\p{L}\\p{N}])/gu":
      "Reads names of servers, and the first 256 characters of a tool's; nothing follows the one repetition.",
  },
  "packages/core/src/images/package-failure.ts": {
    "/^\\s*(?:npm (?:error|ERR!)|go: |[×╰├│]|Caused by: |cause: (?:Because |Failed to |error |client error|dns |invalid |failed to )|error: (?:Failed to (?:fetch|download|resolve|build|install|prepare|query|spawn)|No solution found|Request failed|client error|subprocess-exited)|ERROR: (?:Could not (?:find a version|install packages)|No matching distribution|Failed building wheel)|(?:warning: )?An executable named|No executables are provided)/":
      FEW_LINES,
    "/is not provided by package.{0,300}?following executables are available:?\\s*-\\s*`?(?<program>[\\w.+-]+)/i":
      FEW_LINES,
  },
  "packages/core/src/server-log/excerpt.ts": {
    '/^[\\s|+-]*(?:at\\s|File "|\\^|~|\\.{3}|node:internal|Node\\.js v\\d|goroutine \\d|\\d+: 0x|(?:Exception Group )?Traceback \\(|During handling of|The above exception|ExceptionGroup: )|^\\s+\\S+\\.go:\\d|^\\W*$/':
      SHORT_LINES,
    "/^\\s*(?:-|\\*|usage:|options:|commands:|flags:|arguments:)/i": SHORT_LINES,
    "/^\\W*(?:npm )?warn(?:ing)?\\b/i": SHORT_LINES,
    "/^\\W{0,3}(?:\\S{1,60}\\s{1,4}){0,4}?(?:[\\w.$]{0,80}(?:Error|Exception)|error|fatal|panic|critical)\\b(?:\\s?\\[[^\\]]{0,60}\\]|\\s?\\([^)]{0,60}\\))?[:\\]]/i":
      SHORT_LINES,
    '/\\blevel"?[=:]\\s?"?(?:error|fatal|panic|critical)\\b/i': SHORT_LINES,
    "/\\b(?:required|missing|must (?:be|have|set|provide)|not (?:set|found|defined|allowed|provided|permitted|exist)|no such|cannot|can't|could not|couldn't|unable to|failed|failure|invalid|denied|refused|unknown|unexpected|unsupported|does not|doesn't|aborted|killed)\\b|\\bE[A-Z]{4,12}\\b/i":
      SHORT_LINES,
    "/^… \\d+ lines? left out …$/": SHORT_LINES,
  },
  "packages/core/src/supervision/server/explain-silence.ts": {
    '/^\\s*"(?:jsonrpc|id|result|method|params|error)"\\s*:/': SHORT_LINES,
    "/^\\s*[[{]\\s*$/": SHORT_LINES,
    '/^[^{]{1,2000}\\{.{0,2000}"jsonrpc"\\s*:/': SHORT_LINES,
    "/^Content-Length:\\s*\\d/i": SHORT_LINES,
    "/\\b(?:listen|running|serving|started|server|available|ready)\\w*\\b.{0,80}?(?<host>127\\.\\d+\\.\\d+\\.\\d+|localhost|\\[::1\\]|::1|0\\.0\\.0\\.0|\\[::\\])['\"]?(?::|,?\\s(?:['\"]?port['\"]?\\s?[:=]?\\s?)?)(?<port>\\d{2,5})\\b/i":
      SHORT_LINES,
    "/^(?:127\\.|localhost$|\\[?::1\\]?$)/": SHORT_LINES,
    '/^\\uFEFF\\{.{0,2000}"jsonrpc"\\s*:/': SHORT_LINES,
  },
  "packages/core/src/images/package-images.ts": {
    "/[:@][^/]*$/": "Reads the name of a base image, which the user has set.",
  },
  "packages/core/src/clients/edit-yaml.ts": {
    "/:([ \\t]*(?:#.*)?\\r?\\n)$/":
      "Reads one line of the user's own file, which ends with a line end, so that the first start matches.",
  },
  "packages/proxy/src/messages/lists/list-answer.ts": {
    '/^\\s*\\{\\s*(?:"(?:jsonrpc|id)"\\s*:\\s*(?:"[^"\\\\]{0,200}"|-?\\d{1,20})\\s*,\\s*){0,2}"result"\\s*:\\s*$/':
      SHORT_FRAME,
    '/^\\s*(?:,\\s*"(?:jsonrpc|id)"\\s*:\\s*(?:"[^"\\\\]{0,200}"|-?\\d{1,20})\\s*){0,2}\\}\\s*$/': SHORT_FRAME,
  },
  "packages/proxy/src/observe/redact.ts": {
    "/-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gi":
      "Always matches where its begin does, up to the end; measured in redact.test.ts.",
  },
  "packages/search/src/engine/opensearch/cluster.ts": { "/\\/+$/": OWN_SETTING },
  "packages/search/src/indexing/push-index.ts": { "/\\/+$/": OWN_SETTING },
  "packages/search/src/events/event-line.ts": {
    "/[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+/g": SHORT_QUERY,
    "/\\b(?=[\\w-]*\\d)[\\w-]{20,}/g": SHORT_QUERY,
    "/\\b(?:ghp|gho|github_pat|sk|xox[abp]|AKIA|eyJ)[\\w-]{6,}/g": SHORT_QUERY,
  },
  "packages/search/src/records/read-page.ts": { "/\\s*&\\s*/g": OWN_PAGES, "/\\/+$/": OWN_PAGES },
  "packages/search/src/wire/escape.ts": {
    "/\\s*&\\s*/g": "Reads titles of records, of our pages or uploaded with the administrator's key.",
  },
  "packages/search/src/wire/text-tokens.ts": {
    "/\\S*[\\p{L}\\p{N}]\\S*/gu": "Reads records, of our pages or uploaded with the administrator's key.",
  },
  "packages/search/src/service/rate-limiter.ts": {
    "/^::ffff:(?=\\d+\\.)/": "Reads an address of at most 45 characters.",
  },
  "packages/sidecar/src/packets/gateway.ts": { "/0+$/": "Reads 32 digits." },
};

/** Expressions that are put together when the program runs, by file: how many, and why they are linear. */
const MADE: Readonly<Record<string, { readonly count: number; readonly reason: string }>> = {
  "packages/api/src/server/foreign-request.ts": {
    count: 1,
    reason: "Made of our own words, without a repetition.",
  },
  "packages/api/src/server/router.ts": { count: 1, reason: "Made of our own paths; each part ends at a slash." },
  "packages/cli/src/installation/find-completion.ts": {
    count: 1,
    reason: "Begins at the start of a line, one repetition.",
  },
  "packages/cli/src/installation/find-installation.ts": {
    count: 4,
    reason: "Read a path, which systems bound; the one repetition is followed by text.",
  },
  "packages/core/src/tool-pins/other-order.ts": { count: 1, reason: "Dates; each part has a length that is bounded." },
  "packages/core/src/images/package-target.ts": { count: 5, reason: "Anchored; each part has one way to match." },
  "packages/core/src/images/image-reference.ts": { count: 1, reason: "Anchored; each part has one way to match." },
  "packages/core/src/registry/convert-registry.ts": { count: 1, reason: "Anchored; each part has one way to match." },
  "packages/core/src/registry/read-map.ts": { count: 1, reason: "Anchored; each part has one way to match." },
  "packages/docs/src/library/explain-error.ts": { count: 2, reason: "Made of our own codes, without a repetition." },
  "website/plugins/framework-patches/client-shims/client/path-to-regexp.ts": {
    count: 1,
    reason: "Made of this site's routes; anchored, and `.*` stands for the one `*` of a route.",
  },
};

function listSources(): string[] {
  const files = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...SOURCES.map((path) => `:(glob)${path}`)],
    {
      cwd: ROOT,
      encoding: "utf8",
    },
  );
  return files.split("\n").filter((path) => IS_SOURCE.test(path) && !IS_OTHER.test(path));
}

const found = listSources().flatMap((path) =>
  findRegularExpressions(path, readFileSync(join(ROOT, path), "utf8")).map((one) => ({ path, ...one })),
);

describe("regular expressions of what runs", () => {
  test("are found", () => {
    expect(found.filter(({ isLiteral }) => isLiteral).length).toBeGreaterThan(200);
  });

  test("are proven linear, or stand here with a reason", { timeout: 900_000 }, async () => {
    const prover = await openProver({ file: PROOFS, isAnew: process.env.PROVE_ALL === "1" });
    const unproven = found
      .filter(({ path, text, isLiteral }) => isLiteral && EXCEPTIONS[path]?.[text] === undefined)
      .flatMap(({ path, line, text }) => {
        const cost = prover.prove(text);
        return cost === "safe" ? [] : [`${path}:${line} ${text} is ${cost}`];
      });
    if (process.env.UPDATE_PROOFS === "1") prover.save();

    expect(unproven).toEqual([]);
    expect(process.env.UPDATE_PROOFS === "1" ? [] : prover.listUnused()).toEqual([]);
  });

  test("have no exception that is not needed any more", () => {
    const literals = new Set(found.map(({ path, text }) => `${path} ${text}`));
    const stale = Object.entries(EXCEPTIONS).flatMap(([path, texts]) =>
      Object.keys(texts)
        .filter((text) => !literals.has(`${path} ${text}`))
        .map((text) => `${path} ${text}`),
    );

    expect(stale).toEqual([]);
  });

  test("are made at run time only where a person has reviewed them", () => {
    const counts: Record<string, number> = {};
    for (const { path, isLiteral } of found) if (!isLiteral) counts[path] = (counts[path] ?? 0) + 1;

    expect(counts).toEqual(Object.fromEntries(Object.entries(MADE).map(([path, { count }]) => [path, count])));
  });
});

describe("the check", () => {
  test("finds literals and calls of RegExp, and no others", () => {
    const source = 'const a = /x+/g; const b = "/no/"; f(/[/]y/); new RegExp("z"); RegExp(`w`); // /no/\n1 / 2 / 3;';

    expect(findRegularExpressions("planted.ts", source).map(({ text }) => text)).toEqual([
      "/x+/g",
      "/[/]y/",
      'new RegExp("z")',
      "RegExp(`w`)",
    ]);
  });

  test.each([
    ["/\\s*;\\s*/", "polynomial"],
    ["/\\/+$/", "polynomial"],
    ["/^(a|a)*$/", "exponential"],
    ["/^[a-z]+$/", "safe"],
    ["/\\p{L}+/v", "safe"],
  ])("says of %s that it is %s", async (literal, expected) => {
    expect((await openProver()).prove(literal)).toBe(expected);
  });
});
