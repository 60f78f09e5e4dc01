import { ERRORS } from "@toolhive/core/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COMMAND_GROUPS, COMMANDS } from "../commands.ts";
import { main } from "../main.ts";
import { wrap } from "../terminal/wrap.ts";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { EXIT_CODES, TOPICS } from "../topics/index.ts";
import { renderTopic } from "../topics/render-topic.ts";
import { TOPIC_NAMES } from "../topics/topic-names.ts";
import { listChildren } from "./command.ts";
import { listFlags, listSections, listShownFlags } from "./flag.ts";
import { helpFor } from "./help.ts";

const TREE = { commands: COMMANDS, groups: COMMAND_GROUPS, topics: TOPIC_NAMES };
const PATHS = [[], ...COMMAND_GROUPS.map(({ path }) => path), ...COMMANDS.map(({ path }) => path)];

/** Lines that are commands to copy, and words that are longer than the terminal, may stick out. */
function isTooLong(line: string, width: number): boolean {
  const isCommand = line.includes("thv ");
  return line.length > width && line.trim().includes(" ") && !isCommand && !/^\s*(-\w, )?--\S+( \w+)?$/.test(line);
}

describe.each([20, 40, 80, 120])("help on a terminal of %i columns", (width) => {
  test.each(PATHS.map((path) => [["thv", ...path].join(" "), path] as const))(
    "%s fits, and ends with one newline",
    (_words, path) => {
      const text = helpFor(path, TREE, width);

      expect(text.split("\n").filter((line) => isTooLong(line, width))).toEqual([]);
      expect(text).toMatch(/[^\n]\n$/);
      expect(text.split("\n").filter((line) => line !== line.trimEnd())).toEqual([]);
    },
  );
});

describe("help in sections", () => {
  const sectioned = COMMANDS.filter(({ sections }) => sections !== undefined);

  test.each(sectioned.map((command) => [command.path.join(" "), command] as const))(
    "of %s names each flag once, in a section of few, and the rare ones with --help all",
    async (_words, command) => {
      const sections = listSections(command, []);
      const names = sections.flatMap(({ flags, rare }) => [...flags, ...rare].map(({ name }) => name));
      expect(names.sort()).toEqual(
        listShownFlags(command)
          .map(({ name }) => name)
          .sort(),
      );

      const read = async (...words: readonly string[]) => {
        const fake = new FakeTerminal({ columns: 120 });
        expect(await main({ ...fake.options, argv: words, signal: new AbortController().signal })).toBe(0);
        return fake.stdout;
      };
      const short = await read(...command.path, "--help");
      for (const { title, flags } of sections) if (flags.length > 0) expect(short).toContain(`\n${title}:\n`);
      expect(short).toMatch(/\d+ more flags are seldom needed\. Show them, too: thv \w+ --help all/);
      expect(short).not.toContain("--jwks-auth-token-file");
      const whole = await read(...command.path, "--help", "all");
      for (const name of names) expect(whole).toContain(`--${name}`);
      expect(await read(...command.path, "--help=all")).toBe(whole);
      expect(await read("help", ...command.path, "all")).toBe(whole);
    },
  );
});

describe("help", () => {
  test("of the root names every top-level command with its summary", () => {
    const text = helpFor([], TREE, 100);

    for (const { path, summary } of listChildren([], TREE)) {
      expect(text).toMatch(new RegExp(`^  ${path[0]} +${summary.slice(0, 20)}`, "m"));
    }
  });

  test.each(COMMANDS.map((command) => [command.path.join(" "), command] as const))(
    "of %s shows its usage, examples, and every flag that is not hidden, with kind and default",
    (_words, { path, flags, examples }) => {
      const text = helpFor(path, TREE, 200, { isWhole: true });

      expect(text).toContain(`Usage:\n  thv ${path.join(" ")} [flags]`);
      for (const { command } of examples) expect(text).toContain(`\n  ${command}\n`);
      for (const flag of listFlags({ flags })) {
        const line = text.split("\n").find((each) => new RegExp(`^ +(-\\w, )?--${flag.name} `).test(each)) ?? "";
        expect(line === "").toBe(flag.hidden === true);
        if (flag.hidden) continue;
        if (flag.short) expect(line).toContain(`-${flag.short}, `);
        if (flag.default !== undefined) expect(line).toMatch(new RegExp(`[(,].*default ${flag.default}[,)]`));
      }
      expect(text).toContain("--help");
    },
  );

  test("the title of an example names what its command acts on", () => {
    const titles = COMMANDS.flatMap(({ examples }) => examples.map(({ summary }) => summary));

    expect(titles.filter((title) => /\b(?:it|them|those)\b/i.test(title))).toEqual([]);
  });

  test("of every example runs the command that it is an example of", () => {
    for (const { path, examples } of COMMANDS) {
      for (const { command } of examples) expect(command).toContain(`thv ${path.join(" ")}`);
    }
  });
});

describe.each([20, 40, 80])("help topics on a terminal of %i columns", (width) => {
  test.each(TOPIC_NAMES.map(({ name }) => name))("%s fits", (name) => {
    const text = renderTopic(name, width);

    const isToCopy = (line: string) => /^ {2}(thv|gh|--)/.test(line);
    const tooLong = text.split("\n").filter((line) => line.length > width && line.trim().includes(" "));
    expect(tooLong.filter((line) => !isToCopy(line))).toEqual([]);
  });
});

describe("help topics", () => {
  test("all have a name in the root's help and a text", () => {
    expect(TOPICS.map(({ name }) => name)).toEqual(TOPIC_NAMES.map(({ name }) => name));
    for (const { name, summary } of TOPIC_NAMES) {
      expect(helpFor([], TREE, 100)).toMatch(new RegExp(`^  ${name} +${summary}$`, "m"));
    }
  });

  test("exit codes have a meaning for every code of the error catalogue, and no other", () => {
    const used = new Set([0, ...Object.values(ERRORS).map(({ exit }) => exit)]);

    expect(Object.keys(EXIT_CODES).map(Number)).toEqual([...used].sort((left, right) => left - right));
  });
});

describe("wrap", () => {
  test("keeps every word, in order, and breaks only where it must", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1 }),
        fc.integer({ min: 5, max: 60 }),
        fc.nat({ max: 4 }),
        (words, width, spaces) => {
          const first = " ".repeat(spaces);
          const lines = wrap(words.join(" "), width, first).split("\n");

          expect(lines.flatMap((line) => line.trim().split(" "))).toEqual(words);
          for (const [index, line] of lines.entries()) {
            expect(line.startsWith(first)).toBe(true);
            if (line.trim().includes(" ")) expect(line.length).toBeLessThanOrEqual(width);
            const next = lines[index + 1]?.trim().split(" ")[0];
            if (next !== undefined) expect(line.length + 1 + next.length).toBeGreaterThan(width);
          }
        },
      ),
    );
  });
});

describe("thv help CODE", () => {
  const help = async (...words: string[]) => {
    const fake = new FakeTerminal({ columns: 80 });
    const code = await main({ ...fake.options, argv: ["help", ...words], signal: new AbortController().signal });
    return { code, stdout: fake.stdout, stderr: fake.stderr };
  };

  test.each(Object.keys(ERRORS))("%s says what it means and what to do, without the site", async (errorCode) => {
    const { code, stdout, stderr } = await help(errorCode);

    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^${errorCode}: `));
    for (const part of ["Why it happens:\n  - ", "What to do:\n  - ", "Exit code: "]) expect(stdout).toContain(part);
    expect(stdout).not.toMatch(/`|\]\(|localhost:3000/);
    for (const line of stdout.split("\n").filter((each) => !each.startsWith("      ")))
      expect(line.length).toBeLessThanOrEqual(80);
  });

  test("takes the code as it stands in an address, and knows what was meant", async () => {
    expect((await help("port-in-use")).stdout).toMatch(/^PORT_IN_USE: /);
    expect((await help("PORT_IN_USS")).stderr).toContain("Did you mean: thv help PORT_IN_USE");
  });
});
