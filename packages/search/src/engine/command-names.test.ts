import { describe, expect, test } from "vitest";
import { CommandNames, listCommandNames } from "./command-names.ts";

const NAMES = [
  "thv run",
  "thv rm",
  "thv stop",
  "thv status",
  "thv list",
  "thv logs",
  "thv up",
  "thv serve",
  "thv client register",
  "thv client remove",
  "thv config set-ca-cert",
];
const commands = new CommandNames(NAMES);
/** Words of the pages, with the number of their records. */
const USES = new Map([
  ["server", 900],
  ["port", 80],
  ["running", 50],
  ["runn", 1],
]);
const correct = (text: string, mayContinue = true): string =>
  commands.correct(text, mayContinue, (word) => USES.get(word) ?? 0);

describe("a word after a program's name", () => {
  test.each([
    ["thv runn", "thv run"],
    ["thv rmm", "thv rm"],
    ["thv stp", "thv stop"],
    ["thv lsit", "thv list"],
    ["thv rn", "thv run"],
    ["thv urn", "thv run"],
    ["thv rum", "thv run"],
    ["thv pu", "thv up"],
    ["thv lgos everything", "thv logs everything"],
    ["$ THV runn", "$ THV run"],
    ["thv cleint regster", "thv client register"],
    ["thv config set-ca-crt", "thv config set-ca-cert"],
    ["thv  stp --group work", "thv  stop --group work"],
  ])("that is mistyped is corrected: %j is %j", (typed, meant) => {
    expect(correct(typed)).toBe(meant);
  });

  test.each(["thv st", "thv se", "thv", "thv run", "thv client re", "thv r"])(
    "that is being typed stays: %j",
    (text) => {
      expect(correct(text)).toBe(text);
    },
  );

  test("that is whole is corrected where no word is completed", () => {
    expect(correct("thv lis", false)).toBe("thv list");
  });

  test.each([
    "thv server",
    "thv port in use",
    "how does thv stp work",
    "runn",
    "thv kubernetes",
    "thv xx",
    "thv --hlep",
    "",
  ])("that is another word, or no word of a command, stays: %j", (text) => {
    expect(correct(text)).toBe(text);
  });
});

describe("names of commands", () => {
  test("are titles and keywords in lower case that begin with a program that has a page", () => {
    expect(
      listCommandNames(["thv run", "thv", "thv rm", "thv ls", "Thv guide", "access control", "quick start guide"]),
    ).toEqual(["thv ls", "thv rm", "thv run"]);
  });

  test("are none where a word only begins a few titles", () => {
    expect(listCommandNames(["run", "run servers", "run clients"])).toEqual([]);
  });
});
