/** Command blocks that a reader pastes while other servers run. */
import { expect, test } from "vitest";
import { listWrittenPages } from "./pages.ts";
import { parseText } from "./parse-text.ts";

const blocks = listWrittenPages().flatMap(({ file, source }) =>
  parseText(source, file.endsWith(".mdx") ? "mdx" : "md")
    .code.filter(({ language }) => language === "bash")
    .map(({ content, line }) => ({ where: `${file}:${line}`, content })),
);

test("no command takes whichever server is first in the list", () => {
  const isTaking = (line: string) => line.includes("thv list") && line.includes("[0]");
  const taking = blocks.filter(({ content }) => content.split("\n").some(isTaking));

  expect(taking.map(({ where }) => where)).toEqual([]);
  expect(blocks.filter(({ content }) => content.includes("thv list")).length).toBeGreaterThan(5);
});
