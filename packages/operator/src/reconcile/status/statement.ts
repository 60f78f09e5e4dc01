/** One condition, before it has a time. */
import type { Condition, ConditionType } from "../../contract/index.ts";

/** Without its type and what the API adds to it. */
export type Statement = Pick<Condition, "status" | "reason" | "message">;
export type TypedStatement = Statement & { readonly type: ConditionType };

export const isTrue = (reason: string, message: string): Statement => ({ status: "True", reason, message });
export const isFalse = (reason: string, message: string): Statement => ({ status: "False", reason, message });
export const isUnknown = (reason: string, message: string): Statement => ({ status: "Unknown", reason, message });
