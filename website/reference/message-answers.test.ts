/** Messages that programs print, as people paste them: each has the explanation that is right, and others have none. */
import path from "node:path";
import { openApiDocument } from "@toolhive/api";
import { DocsLibrary, explainError } from "@toolhive/docs";
import { describe, expect, test } from "vitest";
import answers from "./data/message-answers.json" with { type: "json" };
import { docsFacts } from "./docs-facts.ts";
import type { OpenApi } from "./openapi-types.ts";

const document = openApiDocument("v1.2.3") as unknown as OpenApi;
const library = new DocsLibrary(
  {
    ...docsFacts(path.join(import.meta.dirname, "../.."), document),
    version: "v1.2.3",
    siteUrl: "https://x.test",
    pages: [],
  },
  () => {
    throw new Error("no message is searched in the pages");
  },
);

/** The known message and the code of an explanation, or that there is none. */
function explain(message: string): string {
  const found = explainError(library, message);
  return found === undefined ? "not known" : `${found.message} [${found.name}]`;
}

describe("a message of another program", () => {
  test.each(answers.known)("has its explanation: $message", ({ message, answers: right }) => {
    const found = explain(message);

    expect(
      right.some((each) => found.startsWith(each) || found.includes(`[${each}`) || found.includes(` ${each}:`)),
      found,
    ).toBe(true);
  });

  test.each(answers.unknown)("that no page explains is not known: $message", ({ message }) => {
    expect(explain(message)).toBe("not known");
  });

  test("is in the set once, and most of the set have no explanation", () => {
    const all = [...answers.known, ...answers.unknown].map(({ message }) => message);

    expect(all.length).toBeGreaterThanOrEqual(120);
    expect(new Set(all).size).toBe(all.length);
    expect(answers.unknown.length).toBeGreaterThan(answers.known.length);
  });
});
