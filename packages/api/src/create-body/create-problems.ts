/** What is wrong with a create request, for those who have one before it is sent. */
import { findSoundMembers, listProblems } from "@toolhive/core";
import { type CreateWorkloadBody, CreateWorkloadSchema, problemsOfBody } from "../contract/workload-schemas.ts";

/** @returns One sentence for everything that is wrong, without a full stop, with the paths of members. */
export function problemsOfCreateBody(body: CreateWorkloadBody): string[] {
  return [...listProblems(CreateWorkloadSchema, body), ...problemsOfBody(findSoundMembers(CreateWorkloadSchema, body))];
}
