/** What a server offers, and calls through its proxy as an MCP client would make them. */
import { TOOL_STATES } from "@toolhive/core";
import * as Type from "typebox";
import { NAME_PARAM as GROUP_PARAM } from "./groups.ts";
import { CALL_MINUTES, MAX_CALL_BYTES, MAX_CALLS, MAX_QUESTIONS } from "./parts/limits.ts";
import { operation } from "./parts/operation.ts";
import { NAME_PARAM } from "./workloads.ts";

const JSON_TYPE = "application/json";
const NAME_ERRORS = {
  INVALID_WORKLOAD_NAME: "Invalid workload name:",
  WORKLOAD_NOT_FOUND: "Workload not found",
} as const;

const FOUND_ERRORS = {
  ...NAME_ERRORS,
  SERVER_NOT_READY: "The server does not answer:",
  LIMIT_REACHED: "Too many calls:",
} as const;

/** As the server has it; see the specification of MCP. */
const AsInMcp = Type.Record(Type.String(), Type.Unknown());
const Direction = Type.Enum(["out", "in"], { description: "`out`: to the server." });

const ToolStateSchema = Type.Object(
  {
    name: Type.String({ description: "Name that clients see, or would see." }),
    own_name: Type.String({ description: "The server's own name." }),
    server: Type.Optional(
      Type.String({ description: "Server that offers the tool, in a group. Absent for a missing tool." }),
    ),
    state: Type.Enum([...TOOL_STATES], {
      description:
        "`hidden`: the tool is not in the choice. `missing`: the tool is in the choice, and the server does not have it.",
    }),
    description: Type.Optional(Type.String({ description: "Description of a hidden tool of a group, if it has one." })),
  },
  { $id: "ToolState" },
);
const States = Type.Array(ToolStateSchema, {
  description:
    "Every tool, and whether clients see it: offered ones in the order of `tools`, then hidden, then missing ones.",
});

function list<Answer extends Type.TProperties>(what: string, answer: Answer) {
  return operation({
    tag: "calls",
    summary: `List the ${what} of a server`,
    description: `Asks the server through its proxy for all pages, as an MCP client does. The response is what the server returns, at most ${MAX_CALL_BYTES / 1024 / 1024} MiB; the list is empty if the server has none.`,
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "The list, as MCP defines it.",
      contentType: JSON_TYPE as typeof JSON_TYPE,
      schema: Type.Object(answer),
    },
    errors: FOUND_ERRORS,
  });
}

const ErrorSchema = Type.Object({
  message: Type.String(),
  code: Type.Optional(Type.String({ description: "Code in the error catalogue, if the server did not answer." })),
  hint: Type.Optional(Type.String()),
  rpc_code: Type.Optional(Type.Number({ description: "Code of the server's own JSON-RPC error." })),
  data: Type.Optional(Type.Unknown()),
});

const NewsSchema = Type.Union(
  [
    Type.Object({
      type: Type.Literal("begin"),
      call_id: Type.String({ description: "ID of the call, for `answerCall`." }),
    }),
    Type.Object(
      {
        type: Type.Literal("message"),
        direction: Direction,
        at: Type.String({ format: "date-time" }),
        message: Type.Unknown(),
      },
      { description: "A protocol message as it was sent, including the messages that open the connection." },
    ),
    Type.Object(
      {
        type: Type.Literal("question"),
        question_id: Type.String(),
        method: Type.String({ examples: ["sampling/createMessage", "elicitation/create"] }),
        params: Type.Unknown(),
      },
      { description: "The server waits for an answer, which `answerCall` gives." },
    ),
    Type.Object(
      {
        type: Type.Literal("end"),
        ms: Type.Integer({
          minimum: 0,
          description: "Milliseconds since the call was sent, without the time to connect.",
        }),
        result: Type.Optional(Type.Unknown()),
        error: Type.Optional(ErrorSchema),
      },
      { description: "The last line; it has either `result` or `error`." },
    ),
  ],
  { $id: "CallNews" },
);

const ObservedCallSchema = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: "1 for the first call since the proxy was opened." }),
    at: Type.String({ format: "date-time", description: "When it ended." }),
    caller: Type.String({ description: "Name, e-mail address or subject in the caller's token." }),
    method: Type.String({ examples: ["tools/call"] }),
    target: Type.Optional(Type.String({ description: "Name of the tool or prompt, or URI of the resource." })),
    outcome: Type.Enum(["success", "denied", "failure", "error"], {
      description: "`denied`: by a policy. `failure`: it was invalid. `error`: the server or its proxy failed.",
    }),
    ms: Type.Integer({ minimum: 0 }),
  },
  { $id: "ObservedCall" },
);

export const CALLS_OPERATIONS = {
  listWorkloadTools: list("tools", { tools: Type.Array(AsInMcp), states: States }),
  listWorkloadPrompts: list("prompts", { prompts: Type.Array(AsInMcp) }),
  listWorkloadResources: list("resources and resource templates", {
    resources: Type.Array(AsInMcp),
    resource_templates: Type.Array(AsInMcp),
  }),
  listGroupTools: operation({
    tag: "groups",
    summary: "List the tools of a group",
    description: `Asks the group's URL for all pages, as an MCP client does; at most ${MAX_CALL_BYTES / 1024 / 1024} MiB.`,
    params: GROUP_PARAM,
    success: {
      status: 200,
      description: "The list, as MCP defines it.",
      contentType: JSON_TYPE as typeof JSON_TYPE,
      schema: Type.Object({ tools: Type.Array(AsInMcp), states: States }),
    },
    errors: {
      GROUP_NOT_FOUND: "Group not found",
      INVALID_ARGUMENT: "Cannot list tools:",
      SERVER_NOT_READY: "The group does not answer:",
      LIMIT_REACHED: "Too many calls:",
    },
  }),
  listRecentCalls: operation({
    tag: "calls",
    summary: "List the recent calls of clients",
    description:
      "Returns at most 200 calls, newest first, which ToolHive has kept in memory since the proxy was opened. Calls of a workload without policies, audit and telemetry are not kept.",
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "The calls, as they ended.",
      contentType: JSON_TYPE as typeof JSON_TYPE,
      schema: Type.Object({
        is_kept: Type.Boolean({ description: "Whether calls of this workload are kept." }),
        calls: Type.Array(ObservedCallSchema),
      }),
    },
    errors: NAME_ERRORS,
  }),
  decideCall: operation({
    tag: "calls",
    summary: "Test the policies of a workload",
    params: NAME_PARAM,
    body: Type.Object(
      {
        claims: Type.Record(Type.String(), Type.Unknown(), {
          description: "Claims of the caller's token; `sub` identifies the caller.",
          examples: [{ sub: "alice" }],
        }),
        action: Type.Enum(["call_tool", "get_prompt", "read_resource"]),
        name: Type.String({ minLength: 1, description: "Name of the tool or prompt, or URI of the resource." }),
        arguments: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), { description: "Arguments of the tool or prompt." }),
        ),
      },
      { $id: "PolicyQuestion" },
    ),
    success: {
      status: 200,
      description: "The decision.",
      contentType: JSON_TYPE as typeof JSON_TYPE,
      schema: Type.Object({
        is_allowed: Type.Boolean(),
        has_policies: Type.Boolean({ description: "Whether the workload has policies; without any, all is allowed." }),
        policies: Type.Array(Type.Integer({ minimum: 0 }), {
          description:
            "Positions of the policies that decided, from 0. Empty when no policy applies to the call, which denies it.",
        }),
        problem: Type.Optional(Type.String({ description: "Why policies could not decide, which denies it." })),
      }),
    },
    errors: NAME_ERRORS,
  }),
  callWorkload: {
    ...operation({
      tag: "calls",
      summary: "Call a tool, get a prompt or read a resource of a server",
      description: `The call goes through the proxy like the call of any client, so the proxy's rules apply. The stream contains every message that is sent, and each question of the server. The call is cancelled when the caller disconnects, after ${CALL_MINUTES} minutes, and at ${MAX_CALL_BYTES / 1024 / 1024} MiB of messages. At most ${MAX_CALLS} calls and lists run at a time, each with at most ${MAX_QUESTIONS} open questions.`,
      params: NAME_PARAM,
      body: Type.Object(
        {
          method: Type.Enum(["tools/call", "prompts/get", "resources/read"]),
          params: Type.Record(Type.String(), Type.Unknown(), {
            description: "Parameters of the method, as MCP defines them.",
            examples: [{ name: "echo", arguments: { message: "hello" } }],
          }),
        },
        { $id: "CallRequest" },
      ),
      success: {
        status: 200,
        description: "`begin`, then messages and questions, then `end`.",
        contentType: "application/x-ndjson",
        schema: NewsSchema,
      },
      errors: FOUND_ERRORS,
    }),
    isStream: true as const,
  },
  answerCall: operation({
    tag: "calls",
    summary: "Answer a question of a server",
    params: {
      call_id: Type.String({ minLength: 1, maxLength: 64, description: "ID of the call, from the line `begin`." }),
    },
    body: Type.Object(
      {
        question_id: Type.String({ maxLength: 64 }),
        result: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), { description: "The answer, as MCP defines it." }),
        ),
        error: Type.Optional(
          Type.Object({ message: Type.String() }, { description: "Reason why there is no result; replaces `result`." }),
        ),
      },
      { $id: "CallAnswer" },
    ),
    success: { status: 204, description: "The server receives the answer." },
    errors: { INVALID_ARGUMENT: "Nothing waits for this answer:" },
  }),
};
