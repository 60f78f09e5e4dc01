/** What somebody reads first is true: folders that are named exist, each has its row, and the index of decisions is whole. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 16 * 1024 * 1024,
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(ROOT, path)));

describe("README.md", () => {
  const rows = [...read("README.md").matchAll(/^\| `([a-z/-]+)`/gm)].map(([, folder]) => folder);

  test("has a row for every package and every other folder of the repository", () => {
    const folders = new Set(
      tracked
        .filter((path) => path.includes("/") && !path.startsWith("."))
        .map((path) => path.split("/"))
        .map(([top = "", second]) => (top === "packages" ? `${top}/${second}` : top)),
    );

    expect([...rows].sort()).toEqual([...folders].sort());
  });

  test.each(["application", "operator", "documentation site", "search"])("names the %s among the parts", (part) => {
    const [parts = ""] = /five parts:[\s\S]*?\n\n[A-Z]/.exec(read("README.md")) ?? [];

    expect(parts.match(/^- /gm)).toHaveLength(5);
    expect(parts).toContain(part);
  });
});

describe("docs/decisions/README.md", () => {
  const rows = [
    ...read("docs/decisions/README.md").matchAll(/^\| \[(\d{4})\]\((\S+\.md)\) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm),
  ];
  const records = readdirSync(join(ROOT, "docs/decisions")).filter((file) => /^\d{4}-/.test(file));

  test("lists every record, in the order of their numbers", () => {
    expect(rows.map(([, , file]) => file)).toEqual(records.sort());
  });

  test("gives each record the title that it has", () => {
    const titles = rows.map(([, number, , title]) => `# ${number}: ${title}`);

    expect(titles).toEqual(records.map((file) => read(`docs/decisions/${file}`).split("\n", 1)[0]));
  });

  test("says of each record whether it is in force, or which one replaces it", () => {
    const numbers = new Set(rows.map(([, number]) => number));
    const wrong = rows.filter(
      ([, , , , , state = ""]) =>
        state !== "in force" &&
        ![...state.matchAll(/\d{4}/g)].some(([number]) => numbers.has(number)) &&
        !state.startsWith("in part:"),
    );

    expect(wrong.map(([row]) => row)).toEqual([]);
  });
});

test("CONTRIBUTING.md says in how many product files the option stands that has the most places", () => {
  const [, option = "", count] =
    /option with the most places, `(\w+)`, stands in (\d+)/.exec(read("CONTRIBUTING.md")) ?? [];
  const isProduct = (path: string) =>
    /^packages\/\w+\/src\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing\//.test(path);

  expect(tracked.filter((path) => isProduct(path) && read(path).includes(option))).toHaveLength(Number(count));
});

describe("paths of this repository", () => {
  /** In Markdown a path is code; in a source, a path in a comment counts. */
  const PATH = /(?<![\w./-])(?:packages|website|testing|scripts|deploy|docs\/decisions)\/[\w./<>*-]*[\w>*]/g;
  const MADE_BY_A_BUILD = /^(?:website\/(?:build|dist|\.data)|packages\/\w+\/dist)(?:\/|$)/;
  const files = tracked.filter((path) => /\.(?:md|mdx|tsx?|mjs)$/.test(path) && path !== "CHANGELOG.md");

  const listPaths = (file: string, source: string): string[] => {
    const texts = /\.mdx?$/.test(file)
      ? [...source.matchAll(/`[^`\n]+`/g)].map(([code]) => code)
      : source.split("\n").filter((line) => /^\s*(?:\/\*\*|\*|\/\/) /.test(line) && !line.includes("${"));
    return texts.flatMap((text) => [...text.matchAll(PATH)].map(([path]) => path));
  };
  const isThere = (file: string, path: string): boolean => {
    if (MADE_BY_A_BUILD.test(path)) return true;
    const pattern = path.replace(/[.+]/g, "\\$&").replace(/<[^>]*>|\*+/g, "[^ ]*");
    // A package's own scripts and sources are named from its folder, too.
    const [top = "", second = ""] = file.split("/");
    const bases = ["", `${top}/`, `${top}/${second}/`, `${posix.normalize(dirname(file))}/`];
    return bases.some((base) => {
      const matching = new RegExp(`^${base.replace(/[.+]/g, "\\$&")}${pattern}(?:/|$|\\.|(?<=/\\d{4})-)`);
      return tracked.some((each) => matching.test(each));
    });
  };

  test("exist where comments and pages name them", () => {
    const missing = files.flatMap((file) =>
      listPaths(file, read(file))
        .filter((path) => !isThere(file, path))
        .map((path) => `${file}: ${path}`),
    );

    expect(missing).toEqual([]);
  });

  test.each([
    ["page.md", "See `packages/core/src/gone.ts`.", ["packages/core/src/gone.ts"]],
    ["a.ts", "/** As packages/core/src/gone does. */", ["packages/core/src/gone"]],
    ["a.ts", 'const a = "packages/core/src/gone";', []],
  ])("of %s, %j are %j", (file, source, paths) => {
    expect(listPaths(file, source)).toEqual(paths);
    expect(paths.filter((path) => isThere(file, path))).toEqual([]);
  });
});
