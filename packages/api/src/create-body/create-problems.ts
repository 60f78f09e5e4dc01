/** What is wrong with a create request, for those who have one before it is sent. */
import {
  type CreateRequest,
  CreateRequestSchema,
  findSoundMembers,
  type LocatedProblem,
  listProblems,
  listRequestProblems,
  type NameMember,
} from "@toolhive/core";

/** @param name What members are called in the sentences. Default: their paths. */
export function listCreateProblems(body: CreateRequest, name?: NameMember): LocatedProblem[] {
  return [
    ...listProblems(CreateRequestSchema, body, { name }),
    ...listRequestProblems(findSoundMembers(CreateRequestSchema, body), name),
  ];
}
