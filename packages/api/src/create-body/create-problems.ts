/** What is wrong with a create request, for those who have one before it is sent. */
import {
  type CreateRequest,
  CreateRequestSchema,
  findSoundMembers,
  listProblems,
  listRequestProblems,
} from "@toolhive/core";

/** @returns One sentence for everything that is wrong, without a full stop, with the paths of members. */
export function listCreateProblems(body: CreateRequest): string[] {
  return [
    ...listProblems(CreateRequestSchema, body),
    ...listRequestProblems(findSoundMembers(CreateRequestSchema, body)),
  ];
}
