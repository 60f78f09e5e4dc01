/** What one operation of the contract is: what it takes, what it answers and how it fails. */
import type { ErrorCode, LocatedProblem } from "@toolhive/core";
import * as Type from "typebox";

/** Texts of refusals that every operation has. */
export const MCP_TEXT = "This is not an MCP server";
export const TYPE_TEXT = "Content-Type must be application/json";

type EmptyProperties = Record<never, Type.TSchema>;

export interface Operation<
  Params extends Type.TProperties = Type.TProperties,
  Query extends Type.TProperties = Type.TProperties,
  Body extends Type.TSchema = Type.TSchema,
  Answer extends Type.TSchema = Type.TSchema,
> {
  /** Who may call it: every caller of the API, or only the user's own programs, over the private socket. */
  readonly audience: "everyone" | "socket";
  readonly tag:
    | "system"
    | "version"
    | "workloads"
    | "settings"
    | "upgrades"
    | "permissions"
    | "sign-ins"
    | "logs"
    | "events"
    | "usage"
    | "calls"
    | "groups"
    | "clients"
    | "discovery"
    | "registry"
    | "secrets";
  readonly summary: string;
  readonly description?: string;
  readonly params: Type.TObject<Params>;
  readonly query: Type.TObject<Query>;
  /** Schema of a JSON body, or `undefined` when a body is ignored. Either is refused when it says that it is something else. */
  readonly body: Body | undefined;
  /** Text of the 400 for a body that is not what the schema says. */
  readonly decodeError: string;
  /** Text of the 400 for a body that only lacks something. Default: the same. */
  readonly missingError?: string;
  /** What else is wrong with members whose form is right; reported together with those whose form is not. */
  readonly furtherProblems?: FurtherProblems;
  /** Reads members that only other programs send, before the body is checked. */
  readonly readMembers?: ReadMembers;
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly contentType?: "application/json" | "application/x-ndjson" | "text/plain";
    /** Of a stream, each line. */
    readonly schema?: Answer;
  };
  /**
   * Codes it may fail with, each with the plain text that existing clients know. A text ending in a colon is followed by
   * the error's own message.
   */
  readonly errors: Partial<Record<ErrorCode, string>>;
}

export type ReadMembers = (sent: Readonly<Record<string, unknown>>) => {
  readonly members: Record<string, unknown>;
  readonly problems: readonly LocatedProblem[];
};

export type FurtherProblems = (sound: Readonly<Record<string, unknown>>) => readonly LocatedProblem[];

/** RFC 9457, with the catalogue's code and hint. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: "uri-reference", description: "Page that explains the code." }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String(),
    code: Type.String({ description: "Stable code in the error catalogue." }),
    problems: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Everything that is wrong with the request's body, or with the file that `detail` names, one sentence each.",
      }),
    ),
    pointers: Type.Optional(
      Type.Array(Type.String({ format: "json-pointer" }), {
        description:
          "Members of the request's body, one for each of `problems` in the same order, as JSON pointers (RFC 6901); empty for the whole body. For a member that holds or names a file, the pointer goes on within that file. With the code `CONFIG_INVALID` they are members of `config.yaml`.",
      }),
    ),
    hint: Type.Optional(Type.String({ description: "What to do next." })),
    docs: Type.Optional(Type.String({ description: "Page that explains the code." })),
  },
  { $id: "Problem" },
);
export type ProblemBody = Type.Static<typeof ProblemSchema>;

type Definition<
  Params extends Type.TProperties,
  Query extends Type.TProperties,
  Body extends Type.TSchema,
  Answer extends Type.TSchema,
> = Pick<Operation, "tag" | "summary" | "description" | "missingError" | "furtherProblems" | "readMembers"> & {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly decodeError?: string;
  readonly success: Operation<Params, Query, Body, Answer>["success"];
  readonly errors?: Operation["errors"];
};

export function operation<
  Params extends Type.TProperties = EmptyProperties,
  Query extends Type.TProperties = EmptyProperties,
  Body extends Type.TSchema = Type.TSchema,
  Answer extends Type.TSchema = Type.TSchema,
>(definition: Definition<Params, Query, Body, Answer>): Operation<Params, Query, Body, Answer> {
  return {
    audience: "everyone",
    decodeError: "Failed to decode request",
    errors: {},
    ...definition,
    params: Type.Object(definition.params ?? ({} as Params)),
    query: Type.Object(definition.query ?? ({} as Query)),
    body: definition.body,
  };
}

/** An operation that only the private socket serves. */
export function socketOperation<
  Params extends Type.TProperties = EmptyProperties,
  Query extends Type.TProperties = EmptyProperties,
  Body extends Type.TSchema = Type.TSchema,
  Answer extends Type.TSchema = Type.TSchema,
>(definition: Definition<Params, Query, Body, Answer>) {
  return { ...operation(definition), audience: "socket" as const };
}
