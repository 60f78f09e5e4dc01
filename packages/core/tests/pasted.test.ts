/**
 * What people copy from the instructions of servers, as it stands in public repositories, with what becomes of it. Lines of
 * `held-out.json` were collected after the reader was written.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readEntry } from "../src/client-import/read-entry.ts";
import { readClientText } from "../src/client-import/read-text.ts";
import { nameServer, type Pasted, readPasted } from "../src/pasted/read-pasted.ts";
import { importClientFile, importCommand } from "../src/project/import-client-file.ts";
import { readProject } from "../src/project/read-project.ts";
import { generateWorkloadName } from "../src/workload/workload-name.ts";

interface Line {
  readonly form: string;
  readonly text: string;
  /** A line for each server and each thing that was left out. */
  readonly expected: readonly string[];
}

const FOLDER = join(import.meta.dirname, "pasted");
const LINES = ["lines.json", "held-out.json"].flatMap(
  (file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Line[],
);
const read = (text: string) => readPasted(text, { readText: (block) => readClientText(block, "") });

function summarize({ servers, problems }: Pasted): string[] {
  const listed = servers.map((server) => {
    const name = nameServer(server);
    const entry = readEntry(name, server.settings, server.inputs);
    if ("reason" in entry) return `${name}: ${entry.reason}`;
    const open = entry.openVolumes.map(({ shown, target }) => ` folder ${shown} at ${target}`).join("");
    return `${name}: ${JSON.stringify(entry.entry)}${open}`;
  });
  return [...listed, ...problems.map(({ name = "", reason }) => `left out ${name}: ${reason}`)];
}

test.each(LINES)("$form: $text", ({ text, expected }) => {
  const pasted = read(text);

  expect(pasted && summarize(pasted)).toEqual(expected);
});

test("each of these that starts a server is one for thv import, too, with the same request and the same name", () => {
  for (const { text, expected } of LINES) {
    const [first = ""] = expected;
    const [, name, json] = /^([^:]+): (\{.*\})/s.exec(first) ?? [];
    if (json === undefined || / folder /.test(first)) continue;

    const project = importClientFile(text, "Standard input", "/srv/shop/thv.yaml");

    const [server] = readProject(project.text, "/srv/shop/thv.yaml").servers;
    expect(server?.request.image).toBe(JSON.parse(json).run);
    expect(server?.request.name).toBe(
      /^[A-Za-z0-9]/.test(name ?? "") ? name?.replaceAll(" ", "-") : server?.request.name,
    );
  }
});

test("a server without a name has the one that thv run would give it", () => {
  for (const { text } of LINES) {
    for (const server of read(text)?.servers ?? []) {
      const entry = readEntry("server", server.settings, server.inputs);
      if (server.name === "" && "entry" in entry)
        expect(nameServer(server)).toBe(generateWorkloadName(entry.entry.run));
    }
  }
});

test("a command after -- is words already, and nothing in it is taken apart again", () => {
  const { text, servers } = importCommand(
    ["npx", "-y", "@acme/weather", "a && b", "$(date)x"].slice(0, 4),
    "/srv/thv.yaml",
  );

  expect(servers).toEqual(["weather"]);
  expect(text).toContain("a && b");
  expect(() => importCommand(["git", "clone", "x"], "/srv/thv.yaml")).toThrow(/it starts no server/);
});

describe("a line of a shell", () => {
  test.each([
    ["cd /srv && npx -y x", 'left out : "&&" joins several commands'],
    ["cat key | docker run -i acme/x", 'left out : "|" joins several commands'],
    ["npx -y x; rm -rf /", 'left out : ";" joins several commands'],
    ["npx -y x > log.txt", 'left out : ">" redirects'],
    ["(npx -y x)", 'left out : "(" groups commands'],
    ["npx -y x &", 'left out : "&" joins several commands'],
    ["npx -y 'x", "left out : a quote ' is not closed"],
    ['npx -y "x', 'left out : a quote " is not closed'],
    ["cat <<EOF\nnpx -y x\nEOF", 'left out : "<<" redirects'],
    ["cd x && \\\n  npx -y hidden-in-the-next-line", 'left out : "&&" joins several commands'],
  ])("%j is refused: %s", (text, expected) => {
    const pasted = read(text);

    expect(pasted?.servers).toEqual([]);
    expect(pasted && summarize(pasted)).toEqual([expect.stringContaining(expected)]);
  });

  test.each([
    ["npx -y x 'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]],
    ['npx -y x "it\'s" \'say "hi"\'', ["it's", 'say "hi"']],
    ["npx -y x --path C:\\tools\\x", ["--path", "C:\\tools\\x"]],
    ['npx -y x "" # a comment', [""]],
    ["npx -y x a#b", ["a#b"]],
    ["npx -y x “a b” –flag", ["a b", "--flag"]],
    ["PS C:\\work> npx -y x `\n  --one", ["--one"]],
    [`npx -y x --port \${PORT:-8080}`, ["--port", "8080"]],
  ])("%j has the arguments %j", (text, args) => {
    const [server] = read(text)?.servers ?? [];
    const entry = readEntry("x", server?.settings);

    expect("entry" in entry && entry.entry.args).toEqual(args);
  });

  test.each([
    "$DATABASE_TOKEN",
    `\${DATABASE_TOKEN}`,
    '"$DATABASE_TOKEN"',
    "$(pass show db)",
    "`pass show db`",
    "$env:DATABASE_TOKEN",
  ])("%s is a value that the reader gives, and not one of this machine", (value) => {
    const [server] = read(`docker run -i -e DATABASE_TOKEN=${value} acme/db`)?.servers ?? [];
    const entry = readEntry("db", server?.settings);

    expect(entry).toMatchObject({ secrets: [{ target: "DATABASE_TOKEN" }] });
    expect("secrets" in entry && entry.secrets[0]).not.toHaveProperty("value");
  });
});

describe("what somebody means no good with", () => {
  test.each([
    ["a NUL", "npx -y x\u0000", "U+0000"],
    ["a turned direction of text", "npx -y \u202Ex", "U+202E"],
    ["a character without a width", "npx -y ser\u200Bver", "U+200B"],
    ["a tag", "npx -y x\u{E0041}", "U+E0041"],
    ["an escape", "npx -y \u001B[31mx", "U+001B"],
  ])("%s is named, and nothing is read", (_what, text, expected) => {
    expect(read(text)).toMatchObject({ servers: [], problems: [{ reason: expect.stringContaining(expected) }] });
  });

  test.each([
    ["a long text", "x ".repeat(60_000)],
    ["many commands", "npx -y x\n".repeat(10_000)],
    ["many words", `npx -y x ${"a ".repeat(40_000)}`],
    ["deep brackets", `{"a":${"[".repeat(90_000)}`],
    ["deep substitutions", `npx ${"$(".repeat(40_000)}`],
    ["many fences", "```\nnpx -y x\n```\n".repeat(5_000)],
    [
      "a link of links",
      `https://vscode.dev/redirect?url=${encodeURIComponent("https://vscode.dev/redirect?url=".repeat(2_000))}`,
    ],
    ["no base64", "cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=%%%"],
    ["a link without anything", "vscode:mcp/install"],
    [
      "members of every object",
      '{"mcpServers":{"__proto__":{"command":"npx","args":["x"]},"constructor":{"command":"npx","args":["y"]}}}',
    ],
    ["a lone dollar and quotes", "$ $ '' \"\" ``"],
  ])("%s has an answer that is bounded", (_what, text) => {
    const pasted = read(text);

    expect(pasted?.servers.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(pasted?.problems).length).toBeLessThan(20_000);
    for (const { name, settings, inputs } of pasted?.servers ?? []) readEntry(name, settings, inputs);
  });

  test("no value that looks secret is repeated in what is left out", () => {
    const hostile = [
      "npx -y x --token hunter2 && y",
      "docker run --entrypoint hunter2 x/y",
      "claude mcp add --what hunter2 x",
    ];
    for (const text of hostile) {
      const pasted = read(text);
      expect(pasted && summarize(pasted).join()).not.toContain("hunter2");
    }
  });
});
