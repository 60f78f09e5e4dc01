/** What the command line asks of the supervisor: about itself, values of secrets, and news of workloads. */
import * as Type from "typebox";
import { socketOperation } from "../parts/operation.ts";
import { WorkloadListSchema } from "../parts/workload-schemas.ts";

const JSON_TYPE = "application/json";

const SupervisorSchema = Type.Object({
  pid: Type.Integer(),
  version: Type.String(),
  socket: Type.String(),
  startedAt: Type.String({ format: "date-time" }),
  mode: Type.Enum(["background", "foreground"]),
  api: Type.Optional(Type.String({ description: "Address of the API on a port, in the foreground only." })),
  program: Type.Optional(
    Type.String({ description: "Path of the program that it was started from. Absent of an older one." }),
  ),
  variables: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "Variables for the supervisor that it was started with. Absent of an older one.",
    }),
  ),
  engine: Type.Optional(
    Type.Union([
      Type.Object({
        kind: Type.Enum(["docker", "podman"]),
        version: Type.String(),
        address: Type.String(),
        missingLimits: Type.Optional(
          Type.Array(Type.Enum(["memory", "cpus", "pids"]), {
            description: "Limits that it cannot keep; absent: none.",
          }),
        ),
      }),
      Type.Null({ description: "No container engine answers." }),
    ]),
  ),
});

const FailedClientSchema = Type.Object({
  client: Type.String(),
  reason: Type.String(),
  hint: Type.Optional(Type.String()),
  is_registered: Type.Optional(
    Type.Boolean({
      description: "False for a client whose file still has entries of thv. Absent from an older supervisor.",
    }),
  ),
});

const ClientFilesSchema = Type.Object({
  replaced: Type.Optional(
    Type.Array(Type.Object({ client: Type.String(), workload: Type.String() }), {
      description: "Entries of the user's own whose place is taken. Absent from an older supervisor.",
    }),
  ),
  failed: Type.Optional(
    Type.Array(FailedClientSchema, {
      description: "Clients whose file could not be changed. Absent from an older supervisor.",
    }),
  ),
});

const ok = <Schema extends Parameters<typeof Type.Array>[0]>(description: string, schema: Schema) => ({
  status: 200,
  description,
  contentType: JSON_TYPE as typeof JSON_TYPE,
  schema,
});

export const SUPERVISOR_OPERATIONS = {
  getSupervisor: socketOperation({
    tag: "system",
    summary: "Say which supervisor runs",
    success: ok("The supervisor.", SupervisorSchema),
  }),
  handOver: socketOperation({
    tag: "system",
    summary: "End, and leave the containers to the next supervisor",
    success: { status: 202, description: "The supervisor ends." },
  }),
  watchWorkloads: {
    ...socketOperation({
      tag: "workloads",
      summary: "Follow workloads as they change",
      description:
        "A line for how they are now, and one for each change, until the caller leaves or the supervisor ends.",
      query: {
        name: Type.Optional(
          Type.String({
            description: "Returns only this workload, in any state; the list is empty if it does not exist.",
          }),
        ),
      },
      success: {
        status: 200,
        description: "Lists; without a name, of those that `listWorkloads` shows.",
        contentType: "application/x-ndjson",
        schema: WorkloadListSchema,
      },
    }),
    isStream: true as const,
  },
  readSecret: socketOperation({
    tag: "secrets",
    summary: "Read the value of a secret",
    body: Type.Object({ key: Type.String() }),
    success: ok("The value.", Type.Object({ value: Type.String() })),
  }),
  unlockSecrets: socketOperation({
    tag: "secrets",
    summary: "Unlock the encrypted secrets",
    body: Type.Object({ password: Type.String() }),
    success: ok("They are unlocked.", Type.Object({})),
  }),
  changeSecretsPassword: socketOperation({
    tag: "secrets",
    summary: "Change the password of the encrypted secrets",
    body: Type.Object({
      current: Type.Optional(Type.String({ description: "Default: the one in the keyring." })),
      wanted: Type.String(),
    }),
    success: ok("It is changed.", Type.Object({})),
  }),
  forgetSecretsPassword: socketOperation({
    tag: "secrets",
    summary: "Remove the password of the encrypted secrets from the keyring",
    success: ok("Whether there was one.", Type.Object({ had: Type.Boolean() })),
  }),
  settleClients: socketOperation({
    tag: "clients",
    summary: "Wait until the clients' files list the workloads as they are",
    success: ok("They do, but for those that failed.", ClientFilesSchema),
  }),
};
