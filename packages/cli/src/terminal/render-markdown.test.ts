import { expect, test } from "vitest";
import { plainMarkdown, type RenderOptions, renderMarkdown } from "./render-markdown.ts";

const render = (markdown: string, width = 40, options: Partial<RenderOptions> = {}): string =>
  renderMarkdown(markdown, {
    width,
    isUtf8: false,
    paint: (_style, text) => text,
    shortenLink: (address) => address,
    ...options,
  });

test("lists keep their marks and stand in", () => {
  expect(
    render("1. One\n2. Two words that go on and on until the line ends\n   - Below\n\n   ```bash\n   thv list\n   ```"),
  ).toBe(
    [
      "1. One",
      "2. Two words that go on and on until the",
      "   line ends",
      "",
      "   - Below",
      "",
      "       thv list",
    ].join("\n"),
  );
});

test("a quote has a bar, and a break is one", () => {
  expect(render("> Note\\\n> that")).toBe("| Note\n| that");
});

test("a table that does not fit is a block for each row", () => {
  const table =
    "| Option | Meaning | Type |\n| - | - | - |\n| `--a-very-long-option-name` | What it is | text |\n| `-b` | |  |";

  expect(render(table, 30)).toBe(
    ["Option: `--a-very-long-option-name`", "Meaning: What it is", "Type: text", "", "Option: `-b`"]
      .join("\n")
      .replace("Option: `--a-very-long-option-name`", "Option:\n  `--a-very-long-option-name`"),
  );
});

test("a table that fits is columns, with cells that are broken", () => {
  expect(render("| A | B |\n| - | - |\n| short | some words that need more than one line |", 30)).toBe(
    ["A      B", "-----  -----------------------", "short  some words that need", "       more than one line"].join(
      "\n",
    ),
  );
});

test("a link says where it leads, unless that is its text", () => {
  expect(render("[here](/x) and [https://a.example](https://a.example)", 80)).toBe("here (/x) and https://a.example");
});

test("an excerpt is one line of words", () => {
  expect(
    plainMarkdown("# A\n\n`b` **c** [d](/e)\n\n```mermaid\nflowchart\n```\n\n| f | g |\n| - | - |\n| h | i |"),
  ).toBe("A b c d f g h i");
});
