import { describe, expect, test } from "vitest";
import { describeName } from "./name-words.ts";

describe("describeName", () => {
  test("counts the words that say something, compounds by their parts", () => {
    expect(describeName("What is MCP?").words).toBe(1);
    expect(describeName("Use the API server").words).toBe(3);
    expect(describeName("thv_config_set-ca-cert").words).toBe(5);
  });

  test("gives one number to texts that differ in case, accents and punctuation only", () => {
    expect(describeName("what is mcp").sum).toBe(describeName("What is “MCP”?").sum);
    expect(describeName("café menu").sum).toBe(describeName("Cafe: Menu").sum);
  });

  test("tells apart the order of words, other stop words and other borders between words", () => {
    const sums = ["what is mcp", "is what mcp", "what was mcp", "whatis mcp"].map((text) => describeName(text).sum);

    expect(new Set(sums).size).toBe(sums.length);
  });

  test("gives no number to a single word and to no words at all", () => {
    expect(describeName("Podman").sum).toBe(0);
    expect(describeName("?").sum).toBe(0);
  });
});
