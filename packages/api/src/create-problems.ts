/** What is wrong with a create request, for those who have one before it is sent. */
import { listProblems } from "@toolhive/core";
import { Value } from "typebox/value";
import { problemsOfBody } from "./create-request.ts";
import { type CreateWorkloadBody, CreateWorkloadSchema } from "./schemas.ts";

/** @returns One sentence for everything that is wrong, without a full stop, with the paths of members. */
export function problemsOfCreateBody(body: CreateWorkloadBody): string[] {
  const wrong = new Set(Value.Errors(CreateWorkloadSchema, body).map(({ instancePath }) => instancePath.split("/")[1]));
  const sound = Object.fromEntries(Object.entries(body).filter(([name]) => !wrong.has(name)));
  return [...listProblems(CreateWorkloadSchema, body), ...problemsOfBody(sound)];
}
