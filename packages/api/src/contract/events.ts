/** One stream of everything that changes, for programs that show it. */
import * as Type from "typebox";
import { MAX_EVENT_STREAMS } from "./parts/limits.ts";
import { operation } from "./parts/operation.ts";
import { WorkloadSchema } from "./parts/workload-schemas.ts";

/** Milliseconds between two signs of life. */
export const HEARTBEAT_MS = 15_000;

const BASE = {
  id: Type.String({
    description: "Position in the stream, for `since`. A heartbeat and a snapshot repeat the last id.",
  }),
  at: Type.String({ format: "date-time" }),
};

function event<Name extends string, Data extends Type.TProperties>(
  type: Name,
  data: Type.TObject<Data>,
  description: string,
) {
  return Type.Object({ ...BASE, type: Type.Literal(type), data }, { description });
}

const ErrorSchema = Type.Object({
  code: Type.String({ description: "Code in the error catalogue." }),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
});

export const EventSchema = Type.Union(
  [
    event(
      "snapshot",
      Type.Object({ workloads: Type.Array(WorkloadSchema) }),
      "All workloads, in any state, sorted by name; replaces what was known before.",
    ),
    event("workload", Type.Object({ workload: WorkloadSchema }), "The workload is new or has changed."),
    event("workload_removed", Type.Object({ name: Type.String() }), "The workload was deleted."),
    event(
      "operation",
      Type.Object({
        kind: Type.Enum(["start", "stop", "restart", "remove"]),
        name: Type.String(),
        outcome: Type.Enum(["done", "failed"]),
        error: Type.Optional(ErrorSchema),
      }),
      "Work on a workload has ended.",
    ),
    event(
      "denied",
      Type.Object({
        name: Type.String({ description: "Name of the workload." }),
        host: Type.String(),
        port: Type.Optional(Type.Integer({ description: "Absent if the server only looked up the name." })),
        at: Type.Optional(Type.String({ format: "date-time" })),
        count: Type.Integer({ minimum: 1, description: "Number of log entries for the target, at most one a minute." }),
      }),
      "A workload's network rules refused a connection: the newest one that the supervisor found. `listDenied` has all.",
    ),
    event("clients", Type.Object({}), "Registered clients have changed: read them again."),
    event("groups", Type.Object({}), "Groups, or the servers in them, have changed: read them again."),
    event("secrets", Type.Object({}), "Secrets have changed: read them again."),
    event("registry", Type.Object({}), "The registry has changed: read it again."),
    event("usage", Type.Object({}), "Calls were counted: read usage again. At most once in ten seconds."),
    event("heartbeat", Type.Object({}), `A heartbeat: nothing has happened for ${HEARTBEAT_MS / 1000} s.`),
  ],
  { $id: "Event" },
);
export type EventBody = Type.Static<typeof EventSchema>;

export const EVENTS_OPERATIONS = {
  watchEvents: {
    ...operation({
      tag: "events",
      summary: "Follow all changes",
      description: `The stream begins with a \`snapshot\`, or with the events after \`since\` if ToolHive still has them. A client that reads too slowly gets another \`snapshot\` instead of the events that it missed. For the progress of a pull, each workload has at most ten events a second. At most ${MAX_EVENT_STREAMS} streams are open at a time; a stream ends when its client disconnects or the supervisor ends.`,
      query: {
        since: Type.Optional(
          Type.String({
            maxLength: 64,
            description: "Id of the last event that the client read before its connection broke.",
          }),
        ),
      },
      success: {
        status: 200,
        description: "One event per line; the stream does not end by itself.",
        contentType: "application/x-ndjson",
        schema: EventSchema,
      },
      errors: { LIMIT_REACHED: "Too many event streams:" },
    }),
    isStream: true as const,
  },
};
