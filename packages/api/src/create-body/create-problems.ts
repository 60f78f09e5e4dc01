/** What is wrong with a create request, for those who have one before it is sent. */
import { listProblems } from "@toolhive/core";
import { problemsOfBody } from "../contract/create-request.ts";
import { type CreateWorkloadBody, CreateWorkloadSchema } from "../contract/workload-schemas.ts";
import { findSoundMembers } from "../contract/sound-members.ts";

/** @returns One sentence for everything that is wrong, without a full stop, with the paths of members. */
export function problemsOfCreateBody(body: CreateWorkloadBody): string[] {
  return [...listProblems(CreateWorkloadSchema, body), ...problemsOfBody(findSoundMembers(CreateWorkloadSchema, body))];
}
