import { expect, test } from "vitest";
import { listProblems } from "../schemas/schema-problems.ts";
import { RemoteSignInSchema } from "./remote-schema.ts";

const list = (oauth_params: unknown) =>
  listProblems(RemoteSignInSchema, { oauth_params }).map(({ sentence }) => sentence);
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${at}`, "value"]));

test.each([
  ["few parameters", { audience: "https://api.example.com" }],
  ["as many as there may be", many(50)],
  ["a long value", { audience: "a".repeat(1_000) }],
])("a sign-in may have %s", (_what, given) => {
  expect(list(given)).toEqual([]);
});

test.each([
  ["more parameters than an address has room for", many(51), "50"],
  ["a value that is longer than an address may be", { audience: "a".repeat(1_001) }, "1000"],
  ["a value that is no text", { audience: 1 }, "oauth_params.audience"],
])("a sign-in may not have %s", (_what, given, part) => {
  expect(list(given)).toEqual([expect.stringContaining(part)]);
});
