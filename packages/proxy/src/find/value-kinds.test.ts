import { expect, test } from "vitest";
import { replaceValues } from "./value-kinds.ts";

test.each([
  ["Move PROJ-12 to done.", "Move issue ticket to done."],
  ["Who reads `draft.docx`?", "Who reads word document"],
  ["Check src/app.js, then !14", "Check code file then merge request"],
  ["Read https://example.com/a for ann@example.com", "Read url page for email user"],
  ["Cite 1706.03762", "Cite arxiv paper"],
  ["Will .gitlab-ci.yml work?", "Will yaml file work?"],
  ["Nothing here is a value, e.g. 3.5 or utf-8", "Nothing here is a value, e.g. 3.5 or utf-8"],
])("a value says what it is: %s", (query, replaced) => {
  expect(replaceValues(query)).toBe(replaced);
});
