import { expect, test } from "vitest";
import { decodePassword } from "./keyring.ts";
import { createSealingKey, KDF_COST, seal, unsealWithPassword } from "./sealed-file.ts";
import { formatSecretReference, listReferenceProblems, parseSecretReference } from "./secret-reference.ts";

test("the real cost opens with the right password only, and says so in the file", async () => {
  const file = seal(Buffer.from("text"), await createSealingKey("pw"));

  expect([...file.subarray(8, 11)]).toEqual([KDF_COST.log2N, KDF_COST.r, KDF_COST.p]);
  expect((await unsealWithPassword(file, "pw"))?.plaintext.toString()).toBe("text");
  expect(await unsealWithPassword(file, "pW")).toBeUndefined();
});

test("two files with the same content have nothing in common after the cost", async () => {
  const cheap = { log2N: 1, r: 1, p: 1 };
  const [left, right] = [
    seal(Buffer.from("text"), await createSealingKey("pw", cheap)),
    seal(Buffer.from("text"), await createSealingKey("pw", cheap)),
  ];

  expect(left.subarray(11).equals(right.subarray(11))).toBe(false);
});

test.each([
  ["utf-8", Buffer.from("pässword")],
  ["utf-16", Buffer.from("password", "utf16le")],
  ["the reference's base64", Buffer.from(`go-keyring-base64:${Buffer.from("pässword").toString("base64")}`)],
])("a keyring's password is understood as %s", (_encoding, bytes) => {
  expect(decodePassword(bytes)).toMatch(/^p[aä]ssword$/);
});

test("a reference survives its text form", () => {
  const reference = { name: "op://v/i/f", target: "API_TOKEN" };

  expect(parseSecretReference(formatSecretReference(reference))).toEqual(reference);
});

test.each([["token"], ["token,target="], [",target=A"], ["a,b,target=A"]])("%j is no reference", (text) => {
  expect(() => parseSecretReference(text)).toThrow(text.slice(0, 10));
});

test.each([
  [{ name: "", target: "A" }, 'a secret for the variable "A" has no name'],
  [{ name: "a,b", target: "A" }, 'secret "a,b" has a comma in its name'],
  [{ name: "a", target: "" }, 'secret "a" has no target'],
  [{ name: "a", target: "A=B" }, 'secret "a" has the target "A=B", which is not the name of a variable'],
])("%j: %s", (reference, problem) => {
  expect(listReferenceProblems([{ name: "fine", target: "FINE" }, reference])).toEqual([
    { path: ["1", expect.any(String)], sentence: problem },
  ]);
});

test("two references may use one secret, but not one variable", () => {
  const one = { name: "a", target: "A" };

  expect(listReferenceProblems([one, { name: "a", target: "B" }])).toEqual([]);
  expect(listReferenceProblems([one, { name: "b", target: "A" }])).toEqual([
    { path: ["1", "target"], sentence: 'secrets "a" and "b" have the same target "A"' },
  ]);
});
