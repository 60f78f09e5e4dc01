/** What one operation of the contract is: what it takes, what it answers and how it fails. */
import type { ErrorCode } from "@toolhive/core";
import { type TObject, type TProperties, type TSchema, Type } from "typebox";

type EmptyProperties = Record<never, TSchema>;

export interface Operation<
  Params extends TProperties = TProperties,
  Query extends TProperties = TProperties,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  readonly tag: "system" | "version" | "workloads" | "logs" | "clients" | "discovery" | "registry" | "secrets";
  readonly summary: string;
  readonly description?: string;
  readonly params: TObject<Params>;
  readonly query: TObject<Query>;
  /** Schema of a JSON body, or `undefined` when a body is ignored. */
  readonly body: Body | undefined;
  /** Text of the 400 for a body that is not what the schema says. */
  readonly decodeError: string;
  /** Text of the 400 for a body that only lacks something. Default: the same. */
  readonly missingError?: string;
  /** What else is wrong with members whose form is right; told together with those whose form is not. */
  readonly furtherProblems?: (sound: Readonly<Record<string, unknown>>) => readonly string[];
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly contentType?: "application/json" | "text/plain";
    readonly schema?: Answer;
  };
  /**
   * Codes it may fail with, each with the plain text that existing clients know. A text ending in a colon is followed by
   * the error's own message.
   */
  readonly errors: Partial<Record<ErrorCode, string>>;
}

export function operation<
  Params extends TProperties = EmptyProperties,
  Query extends TProperties = EmptyProperties,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
>(
  definition: Pick<Operation, "tag" | "summary" | "description" | "missingError" | "furtherProblems"> & {
    params?: Params;
    query?: Query;
    body?: Body;
    decodeError?: string;
    success: Operation<Params, Query, Body, Answer>["success"];
    errors?: Operation["errors"];
  },
): Operation<Params, Query, Body, Answer> {
  return {
    decodeError: "Failed to decode request",
    errors: {},
    ...definition,
    params: Type.Object(definition.params ?? ({} as Params)),
    query: Type.Object(definition.query ?? ({} as Query)),
    body: definition.body,
  };
}
