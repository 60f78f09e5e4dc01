import { compareCosts } from "@toolhive/core/testing";
import { describe, expect, test } from "vitest";
import { REDACTED, redact } from "./redact.ts";

const MiB = 1024 * 1024;
const JWT = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl";

describe("redact", () => {
  test.each([
    [`a ${JWT} b`, `a ${REDACTED} b`],
    [`"${JWT}"`, `"${REDACTED}"`],
    ["Authorization: Bearer abcdefgh12345678", `Authorization: ${REDACTED}`],
    ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!", `${REDACTED}!`],
    ["ghp_0123456789abcdef", REDACTED],
    ["they eyJ is short", "they eyJ is short"],
  ])("replaces the secrets in %j", (text, expected) => {
    expect(redact(text).value).toBe(expected);
  });

  test("leaves out the values of names that are secrets'", () => {
    expect(redact({ apiKey: "a", list: [{ password: { x: 1 }, city: "Oslo" }] }).value).toEqual({
      apiKey: REDACTED,
      list: [{ password: REDACTED, city: "Oslo" }],
    });
  });

  test("stops after what is kept, and leaves no half of a token at the cut", () => {
    const { value, isCut } = redact({ text: `${"word ".repeat(19)}${JWT}`, more: "never looked at" }, 60);

    expect(isCut).toBe(true);
    expect(value).toEqual({ text: `${"word ".repeat(19)}${REDACTED}` });
  });

  test.each([
    ["tokens that begin anew", "eyJ-"],
    ["tokens of one part", "eyJa."],
    ["schemes without a token", "bearer "],
    ["blanks after a scheme", " "],
    ["beginnings of keys", "-----BEGIN PRIVATE KEY-----"],
    ["ends of keys", "-----END PRIVATE KEY "],
    ["prefixes of services", "sk-"],
  ])("costs what plain text costs for %s", async (input, piece) => {
    const worst = `bearer${piece.repeat(MiB / piece.length)}`;
    const plain = "plain text. ".repeat(MiB / 12);

    const { processor } = await compareCosts({
      entrance: "redaction of a text",
      input,
      bytes: MiB,
      plain: () => redact(plain),
      worst: () => redact(worst),
    });

    expect(processor).toBeLessThan(20);
  });
});
