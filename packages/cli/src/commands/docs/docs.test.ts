import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { encodeTestPack } from "@toolhive/docs/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../main.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { describeOtherVersion } from "./own-docs.ts";

let folder: string;
let pack: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-docs-"));
  pack = join(folder, "docs.pack");
  await writeFile(pack, await encodeTestPack());
});
afterAll(async () => await rm(folder, { recursive: true }));

interface Run {
  readonly columns?: number;
  readonly isTty?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

async function run(words: readonly string[], { env = {}, ...rest }: Run = {}) {
  const fake = new FakeTerminal({ ...rest, env: { HOME: folder, TOOLHIVE_DOCS_PACK: pack, ...env } });
  const code = await main({ ...fake.options, argv: ["docs", ...words], signal: new AbortController().signal });
  return { code, stdout: fake.stdout, stderr: fake.stderr };
}

/** Without colours. */
const plain = stripVTControlCharacters;
const widest = (text: string): number =>
  Math.max(
    ...plain(text)
      .split("\n")
      .map((line) => line.length),
  );

describe("in a pipe", () => {
  test("a search is the sections that answer, as Markdown, each with the command that reads on", async () => {
    const { code, stdout } = await run(["which", "hosts", "does", "the", "permission", "profile", "allow"]);

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^## Limit permissions > Allow only some hosts\n\n`thv docs guides-cli\/custom-permissions#allow-only-some-hosts`\n/,
    );
    expect(stdout).toContain("```bash\n# not a heading\nthv run --isolate-network");
  });

  test.each([
    "guides-cli/custom-permissions",
    "/toolhive/guides-cli/custom-permissions",
    "https://docs.example.org/toolhive/guides-cli/custom-permissions",
  ])("the page %s is its Markdown, whole and without colours", async (path) => {
    const { stdout } = await run([path], { env: { PAGER: "false" } });

    expect(stdout).toMatch(/^# Limit permissions\n/);
    expect(stdout).toContain("| Network | Everything, unless it is isolated |");
    expect(stdout).not.toContain("\u001b");
  });

  test("a section alone is that section with those below it", async () => {
    const { stdout } = await run(["guides-cli/custom-permissions#allow-only-some-hosts"]);

    expect(stdout).toMatch(/^## Allow only some hosts\n/);
    expect(stdout).toContain("### Check it");
    expect(stdout).not.toContain("Review the defaults\n");
  });

  test("without words all pages are listed, one a line", async () => {
    const { stdout } = await run([]);

    expect(stdout.trim().split("\n")).toHaveLength(5);
    expect(stdout).toContain("- faq: Questions. Short answers.\n");
  });

  test("JSON has the same members for a search, a page and the list", async () => {
    for (const words of [["network"], ["faq"], []]) {
      const { stdout } = await run([...words, "--format", "json"]);

      const { query, sections } = JSON.parse(stdout);
      expect(query).toBe(words.join(" "));
      expect(Object.keys(sections[0])).toEqual(["title", "path", "url", "text", "complete"]);
    }
  });
});

describe("on a terminal", () => {
  test("a page is drawn: no marks of Markdown, and colours", async () => {
    const { stdout } = await run(["guides-cli/custom-permissions"], { isTty: true, columns: 80 });

    expect(stdout).toContain("\u001b[1mLimit permissions\u001b[22m");
    expect(plain(stdout)).toContain("\nAllow only some hosts\n─────────────────────\n");
    expect(plain(stdout)).toContain("    thv run --isolate-network --permission-profile profile.json fetch\n");
    expect(plain(stdout)).toContain("the defaults (guides-cli/custom-permissions#review-the-defaults)");
    expect(plain(stdout)).toContain("Files    None of yours\n");
  });

  test("a page of 40 columns stays within them, but for what is to be copied", async () => {
    const { stdout } = await run(["guides-cli/custom-permissions"], { isTty: true, columns: 40 });

    const prose = plain(stdout)
      .split("\n")
      .filter((line) => !line.startsWith("    ") && / /.test(line.trim()));
    expect(widest(prose.join("\n"))).toBeLessThanOrEqual(40);
  });

  test("NO_COLOR leaves the text, with marks around what is typed", async () => {
    const { stdout } = await run(["guides-cli/custom-permissions"], {
      isTty: true,
      columns: 40,
      env: { NO_COLOR: "1" },
    });

    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("`--isolate-network`");
  });

  test("a search is titles, paths and beginnings, and says how to read on", async () => {
    const { stdout, stderr } = await run(["isolated", "network"], { isTty: true, columns: 60 });

    expect(plain(stdout)).toMatch(/^1\. .+\n {3}guides-/);
    expect(widest(stdout)).toBeLessThanOrEqual(60);
    expect(plain(stderr)).toContain("Read one: thv docs guides-");
  });

  test("a long page goes through PAGER, as the terminal would get it", async () => {
    const pager = join(folder, "pager");
    const shown = join(folder, "shown");
    await writeFile(pager, `#!/bin/sh\ncat > '${shown}'\n`);
    await chmod(pager, 0o755);

    const { code, stdout } = await run(["guides-cli/custom-permissions"], {
      isTty: true,
      columns: 80,
      env: { PAGER: pager },
    });

    expect([code, stdout]).toEqual([0, ""]);
    expect(await readFile(shown, "utf8")).toContain("\u001b[1mLimit permissions\u001b[22m");
  });

  test.each([
    ["reads nothing", "true", ""],
    ["is not there", "/no/such/pager", "Limit permissions"],
    ["is switched off", "cat", "Limit permissions"],
    ["is empty", "", "Limit permissions"],
  ])("a pager that %s loses no page and fails nothing", async (_what, pager, printed) => {
    const { code, stdout } = await run(["guides-cli/custom-permissions"], {
      isTty: true,
      columns: 80,
      env: { PAGER: pager },
    });

    expect(code).toBe(0);
    expect(plain(stdout).slice(0, 17)).toBe(printed);
  });

  test("--no-pager prints", async () => {
    const { stdout } = await run(["faq", "--no-pager"], { isTty: true, columns: 80, env: { PAGER: "true" } });

    expect(plain(stdout)).toContain("Questions\n═════════\n");
  });
});

describe("--web", () => {
  test.each([
    [["faq"], "https://docs.example.org/toolhive/faq"],
    [["isolate", "network"], "https://docs.example.org/search?q=isolate%20network"],
    [[], "https://docs.example.org/toolhive"],
    [["faq#a b"], "https://docs.example.org/toolhive/faq#a%20b"],
  ])("%j prints %s and opens it", async (words, address) => {
    const { code, stdout } = await run([...words, "--web"], { env: { PATH: "" } });

    expect([code, stdout]).toEqual([0, `${address}\n`]);
  });
});

describe("what is not there", () => {
  test("is a page: the nearest are named as commands", async () => {
    const { code, stderr } = await run(["guides-cli/custom-permision"]);

    expect(code).toBe(2);
    expect(stderr).toContain('The documentation of v0.2.0 has no page "guides-cli/custom-permision".');
    expect(stderr).toContain("Near: thv docs guides-cli/custom-permissions, ");
  });

  test("is found by no word: that is said, and it is no failure", async () => {
    const { code, stdout, stderr } = await run(["qwxyzv"]);

    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain('No page of the documentation has "qwxyzv".');
  });

  test.each([
    ["of control characters", "\u0000\u001b[2J"],
    ["of 64 kB", "y".repeat(65_536)],
    ["in another script", "ネットワーク"],
  ])("is found by a question %s, and the terminal obeys nothing of it", async (_kind, question) => {
    const { code, stderr } = await run([question], { isTty: true, columns: 80 });

    expect(code).toBe(0);
    expect(stderr).not.toContain("\u001b[2J");
    expect(stderr.length).toBeLessThan(1_000);
  });

  test("is the whole documentation: a build without it says how to get it", async () => {
    const fake = new FakeTerminal({ env: { HOME: folder } });
    const code = await main({ ...fake.options, argv: ["docs", "faq"], signal: new AbortController().signal });

    expect(code).toBe(2);
    expect(fake.stderr).toContain("This thv was built without its documentation:");
    expect(fake.stderr).toContain("npm run build -w @toolhive/website");
  });

  test("that the variable names and that is not there is an error with the name, and no bug", async () => {
    expect(await run(["faq"], { env: { TOOLHIVE_DOCS_PACK: "/nowhere/docs.pack" } })).toMatchObject({
      code: 16,
      stderr: expect.stringContaining(
        'TOOLHIVE_DOCS_PACK is "/nowhere/docs.pack", which cannot be read: there is no such file',
      ),
    });
  });

  test("is a format that this version reads", async () => {
    const other = join(folder, "other.pack");
    await writeFile(other, "of another time");

    const { code, stderr } = await run(["faq"], { env: { TOOLHIVE_DOCS_PACK: other } });

    expect(code).toBe(2);
    expect(stderr).toContain(`The documentation in ${other} cannot be read: it is damaged, or no documentation.`);
  });

  test("is the index: that is said, and pages are read all the same", async () => {
    const other = join(folder, "unsearchable.pack");
    await writeFile(other, await encodeTestPack({ isSearchable: false }));
    const env = { TOOLHIVE_DOCS_PACK: other };

    const search = await run(["network"], { env });
    const page = await run(["faq"], { env });

    expect([search.code, page.code]).toEqual([2, 0]);
    expect(search.stderr).toContain("The documentation cannot be searched: it has no index to search.");
    expect(page.stdout).toContain("# Questions");
  });
});

test.each([
  ["v0.2.0", "v0.2.0", undefined],
  ["v0.1.0", "v0.2.0", "These pages are those of v0.1.0; this thv is v0.2.0."],
  ["v0.2.0", "v0.0.0-source", undefined],
])("pages of %s in thv %s", (pages, own, warning) => {
  expect(describeOtherVersion(pages, own)).toBe(warning);
});
