/** The operations on the server itself. */
import * as Type from "typebox";
import { operation } from "../parts/operation.ts";

const VersionSchema = Type.Object({ version: Type.String({ examples: ["v0.2.0"] }) }, { $id: "VersionResponse" });

const SystemSchema = Type.Object(
  {
    product: Type.String({ description: "Display name of the program." }),
    command: Type.String({ description: "Name of its command." }),
    docs_url: Type.String({ description: "URL of the documentation, without a slash at the end." }),
    version: Type.String({ examples: ["v0.2.0"] }),
    channel: Type.String({ description: "How ToolHive was installed, as in `thv version`.", examples: ["deb"] }),
    mode: Type.Enum(["background", "foreground"]),
    pid: Type.Integer(),
    started_at: Type.String({ format: "date-time" }),
    memory: Type.Object({ rss_bytes: Type.Integer({ minimum: 0, description: "Memory of this process." }) }),
    engine: Type.Optional(
      Type.Object(
        {
          kind: Type.Enum(["docker", "podman"]),
          version: Type.String(),
          address: Type.String(),
          missing_limits: Type.Optional(
            Type.Array(Type.Enum(["memory", "cpus", "pids"]), {
              description: "Limits that the engine cannot enforce.",
            }),
          ),
        },
        { description: "The container engine; absent while none answers." },
      ),
    ),
  },
  { $id: "System" },
);

const FindingsSchema = Type.Object(
  {
    findings: Type.Array(
      Type.Object(
        {
          check: Type.String({ description: "Name of the check, the same in every run.", examples: ["engine"] }),
          status: Type.Enum(["ok", "warn", "fail"]),
          message: Type.String(),
          fix: Type.Optional(Type.String({ description: "How to fix the problem; if possible, a command." })),
        },
        { $id: "Finding" },
      ),
    ),
  },
  { $id: "Findings" },
);

export const SYSTEM_OPERATIONS = {
  getHealth: operation({
    tag: "system",
    summary: "Check the health of the API server",
    success: { status: 204, description: "The API server and the container engine work." },
    errors: {
      ENGINE_UNREACHABLE: "failed to ping container engine:",
      ENGINE_PERMISSION: "failed to ping container engine:",
    },
  }),
  getOpenApi: operation({
    tag: "system",
    summary: "Get the OpenAPI document",
    success: {
      status: 200,
      description: "The OpenAPI document.",
      contentType: "application/json",
      schema: Type.Unknown(),
    },
  }),
  getSystem: operation({
    tag: "system",
    summary: "Get details of the program and its container engine",
    success: { status: 200, description: "The system.", contentType: "application/json", schema: SystemSchema },
  }),
  runDoctor: operation({
    tag: "system",
    summary: "Diagnose problems on this machine",
    description:
      "Returns what `thv doctor --format json` prints, with the checks made by the supervisor. The checks do not start or change anything. Concurrent callers share one run.",
    success: { status: 200, description: "The findings.", contentType: "application/json", schema: FindingsSchema },
  }),
  getVersion: operation({
    tag: "version",
    summary: "Get the server's version",
    success: { status: 200, description: "The version.", contentType: "application/json", schema: VersionSchema },
  }),
};
