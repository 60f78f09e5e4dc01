import { type CreateRequest, CreateRequestSchema, findSoundMembers } from "@toolhive/core";
import { expect, test } from "vitest";
import { listCreateProblems } from "./create-problems.ts";

test("a body with more mistakes than a list of errors holds has only its sound members left", () => {
  const list = Array.from({ length: 40 }, () => null);
  const body = { name: "fine", cmd_arguments: list, env_vars: list, volumes: "", labels: 0, target_host: {}, image: 7 };

  expect(findSoundMembers(CreateRequestSchema, body)).toEqual({ name: "fine" });
  expect(listCreateProblems(body as unknown as CreateRequest).length).toBeGreaterThan(0);
});

test("a member that the schema does not know is not sound", () => {
  expect(findSoundMembers(CreateRequestSchema, { name: "fine", constructor: 1, other: 2 })).toEqual({ name: "fine" });
});
