/** Whether policies can be loaded, without an endpoint for them. */
import type { AuthzConfig } from "@toolhive/core";
import { messageOf } from "@toolhive/core/errors";
import { Policy } from "./policy.ts";

/** @returns Why they cannot, with every problem; `undefined` when they can. */
export async function findPolicyProblem(config: AuthzConfig): Promise<string | undefined> {
  const ignore = () => undefined;
  try {
    await Policy.open(config, { error: ignore, warn: ignore, info: ignore, debug: ignore });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
