/** What others wrote, on its way to a terminal: shown, never obeyed. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { formatFileChanges } from "./file-changes.ts";
import { askYes, readPiped } from "./input.ts";
import { Progress } from "./progress.ts";
import { printTable } from "./table.ts";
import { Terminal } from "./terminal.ts";

const HOSTILE = "a\u001b]52;c;ZXZpbA==\u0007b\u001b[2J\u009b31mc\rFAKE\u202egnp\u200b\u{e0041}\u007f";
const SHOWN = "a\\x1b]52;c;ZXZpbA==\\x07b\\x1b[2J\\x9b31mc\\x0dFAKE\\u{202e}gnp\\u{200b}\\u{e0041}\\x7f";
/** Also the second bytes that end a sequence of 8-bit controls. */
const OBEYED = /[^\P{Cc}\n\t]|[\p{Bidi_C}\u200b\u2028\u2029\u{e0000}-\u{e007f}]/u;
const OWN_STYLES = [1, 2, 22, 31, 32, 33, 36, 39].map((code) => `\u001b[${code}m`);
const OWN_MOVES = ["\r\u001b[2K", "\u001b[1A"];

/** @returns The text without the sequences. */
function without(sequences: readonly string[], text: string): string {
  return sequences.reduce((rest, sequence) => rest.replaceAll(sequence, ""), text);
}

const person = (env: Record<string, string> = {}) => new FakeTerminal({ isTty: true, columns: 300, env });

const WAYS: readonly (readonly [name: string, write: (terminal: Terminal, text: string) => void])[] = [
  ["print", (terminal, text) => terminal.print(text)],
  ["printJson", (terminal, text) => terminal.printJson({ text })],
  ["write", (terminal, text) => terminal.write(text)],
  ["info", (terminal, text) => terminal.info(text)],
  ["infoProse", (terminal, text) => terminal.infoProse(text)],
  ["a style for stdout", (terminal, text) => terminal.print(terminal.out("red", text))],
  ["a style for stderr", (terminal, text) => terminal.infoProse(terminal.err("dim", `${text} ${"word ".repeat(90)}`))],
  ["a table", (terminal, text) => printTable({ header: ["A", text], rows: [["x", text]] }, terminal)],
  ["the line of a progress", (terminal, text) => new Progress(terminal, text)[Symbol.dispose]()],
  [
    "a diff",
    (terminal, text) =>
      terminal.print(formatFileChanges([{ path: text, before: text, after: `${text}\n${text}` }], terminal)),
  ],
];

describe("on a terminal", () => {
  test("control characters, marks of direction and what cannot be seen are shown as escapes", () => {
    const fake = person();

    fake.terminal.print(HOSTILE);
    fake.terminal.info(HOSTILE);
    fake.terminal.write(HOSTILE);

    expect([fake.stdout, fake.stderr]).toEqual([`${SHOWN}\n${SHOWN}`, `${SHOWN}\n`]);
  });

  test("line breaks, tabs and what writing systems and emoji need stay as they are", () => {
    const fake = person();
    const text = "one\n\ttwo\r\nनमस्ते क्‍ष نمی‌خواهم ❤️ 👩‍💻 日本語 é";

    fake.terminal.write(text);

    expect(fake.stdout).toBe(text);
  });

  test.each(WAYS)("nothing that is written by %s is obeyed", (name, write) => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constant(HOSTILE), fc.string({ unit: "binary", maxLength: 40 }), fc.string({ unit: "grapheme" })),
        (text) => {
          const fake = person();

          write(fake.terminal, text);

          const ours = name.includes("progress") ? [...OWN_STYLES, ...OWN_MOVES] : OWN_STYLES;
          const written = without(ours, `${fake.stdout}${fake.stderr}`);
          expect(written.replaceAll("\r\n", "\n")).not.toMatch(OBEYED);
        },
      ),
    );
  });

  test("our own styles are added after: nobody else can write one", () => {
    const fake = person();

    fake.terminal.print(fake.terminal.out("red", "ours \u001b[32mnot ours"));

    expect(fake.stdout).toBe("\u001b[31mours \\x1b[32mnot ours\u001b[39m\n");
    const guess = fake.terminal.out("green", "x").replace(/\d{4}/u, (digits) => String((Number(digits) + 1) % 10_000));
    const other = person();
    other.terminal.print(guess);
    expect(other.stdout).toContain("\\x1b[");
  });

  test("JSON stays JSON", () => {
    const fake = person();

    fake.terminal.printJson({ text: HOSTILE });

    expect(JSON.parse(fake.stdout)).toEqual({ text: HOSTILE });
  });

  test("a cell of a table is one line, and as wide as what is shown of it", () => {
    const fake = person();

    printTable({ header: ["A", "B"], rows: [["x\nfake   row\u001b", "y"]] }, fake.terminal);

    expect(fake.stdout).toBe("A                     B\nx\\x0afake   row\\x1b   y\n");
  });

  test("the text of a question is shown, too", async () => {
    const fake = new FakeTerminal({ isTty: true, answers: [["Really", "y"]] });

    await askYes(fake.terminal, `Really remove ${HOSTILE}?`);

    expect(fake.stderr).toContain("\\x1b]52;c;");
    expect(fake.stderr).not.toContain("\u001b]52");
    expect(fake.stderr).not.toContain("\u202e");
  });
});

describe("in a pipe", () => {
  test.each(["print", "info", "write"] as const)("%s hands on the bytes", (way) => {
    const fake = new FakeTerminal();

    fake.terminal[way](HOSTILE);

    expect(`${fake.stdout}${fake.stderr}`.trimEnd()).toBe(HOSTILE);
  });

  test("each stream is a terminal or a pipe by itself", () => {
    const fake = person();
    const { stdout } = fake.options;
    const terminal = new Terminal({
      ...fake.options,
      stdout: { write: (text) => stdout.write(text), isTTY: false },
    });

    terminal.print(HOSTILE);
    terminal.info(HOSTILE);

    expect([fake.stdout, fake.stderr]).toEqual([`${HOSTILE}\n`, `${SHOWN}\n`]);
  });
});

describe("a signal", () => {
  test.each([
    ["a question", (terminal: Terminal) => askYes(terminal, "Really?")],
    ["what a pipe delivers", (terminal: Terminal) => readPiped(terminal)],
  ])("ends the wait for %s", async (_what, wait) => {
    const interrupt = new AbortController();
    const fake = new FakeTerminal({ isTty: true });
    const waiting = wait(new Terminal({ ...fake.options, signal: interrupt.signal }));

    interrupt.abort();

    await expect(waiting).rejects.toMatchObject({ code: "INTERRUPTED" });
  });
});
