/**
 * The project file, `thv.yaml`: which servers a folder needs, for everybody who works there. Validation, the JSON schema for
 * editors and the request that creates each server come from this one definition. A member is called like the flag of
 * `thv run`, with `_` in the place of `-`.
 */
import { type Static, Type } from "typebox";
import { TOOL_MEMBERS } from "../access/tool-selection.ts";
import { BUILT_IN_PROFILES } from "../permissions/permission-profile.ts";
import { PermissionProfileSchema, REGISTRY_TRANSPORTS } from "../registry/registry-schema.ts";
import { describePattern } from "../schemas/pattern-words.ts";
import { PROXY_MODES, PULL_POLICIES, SHARED_MEMBERS } from "../workload/create-request-schema.ts";

export const MAX_PROJECT_SERVERS = 100;
const MAX_ITEMS = 1_000;
const MAX_GROUPS = 20;

const MEMORY_PATTERN = describePattern("^(?:0|[0-9]+(?:\\.[0-9]+)?[bkmgBKMG]?)$", "a size such as 512m or 2g");
const SLEEP_PATTERN = describePattern("^(?:0|(?:[0-9]+[smh])+)$", "a time such as 90s, 10m or 1h30m, or 0 for never");

const Text = Type.String({ minLength: 1 });
const List = (description: string, examples: readonly string[]) =>
  Type.Optional(Type.Array(Text, { maxItems: MAX_ITEMS, description, examples: [examples] }));
const TextMap = (description: string, example: Readonly<Record<string, string>>) =>
  Type.Optional(
    Type.Record(Type.String(), Type.String(), { maxProperties: MAX_ITEMS, description, examples: [example] }),
  );

const ProjectServerSchema = Type.Object(
  {
    run: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "What is run: the name of a server in the registry, an image, a package as npx://, uvx:// or go:// (a folder begins at this file), or the address of a remote server.",
      examples: ["fetch", "mcp/everything:latest", "npx://@acme/weather@1.4.0", "https://mcp.example.com/mcp"],
    }),
    args: List("Arguments for the server, after those of the registry.", ["--verbose"]),
    env: TextMap("Environment variables by their names. What is secret belongs into secrets.", { UNITS: "metric" }),
    secrets: TextMap("Names of stored secrets by the variables that the server gets them as.", {
      GITHUB_TOKEN: "github-token",
    }),
    transport: Type.Optional(
      Type.Enum([...REGISTRY_TRANSPORTS], {
        description: "Transport of the server. Default: the registry's, else stdio.",
      }),
    ),
    proxy_mode: Type.Optional(
      Type.Enum([...PROXY_MODES], { default: PROXY_MODES[1], description: "How a stdio server is offered." }),
    ),
    proxy_port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65535,
        description: "Port of its address. Default: a free one, which stays.",
      }),
    ),
    target_port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65535, description: "Port in the container, for sse and streamable-http." }),
    ),
    permission_profile: Type.Optional(
      Type.Enum([...BUILT_IN_PROFILES], {
        description: "What it may do outside its container. Default: the registry's, else network.",
      }),
    ),
    permissions: Type.Optional(PermissionProfileSchema),
    isolate_network: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether a sidecar lets out only what the permissions allow.",
      }),
    ),
    volumes: List(
      "Files and folders for it: HOST_PATH:CONTAINER_PATH, with :ro for read-only. A relative path begins at this file.",
      ["./maps:/data:ro"],
    ),
    user: Type.Optional(Type.String({ minLength: 1, description: "User of the server as numbers, UID or UID:GID." })),
    memory: Type.Optional(
      Type.String({
        pattern: MEMORY_PATTERN,
        description: "Memory limit, swap included; 0 for none.",
        examples: ["512m"],
      }),
    ),
    cpus: Type.Optional(Type.Number({ minimum: 0, description: "CPU limit; 0 for none." })),
    pids_limit: Type.Optional(Type.Integer({ minimum: 0, description: "Limit of processes and threads; 0 for none." })),
    ...TOOL_MEMBERS,
    ...SHARED_MEMBERS,
    sleep_after: Type.Optional(
      Type.String({
        pattern: SLEEP_PATTERN,
        description: "Stop the server after this time without a call; the next call starts it. 0 for never.",
        examples: ["10m"],
      }),
    ),
    pull: Type.Optional(
      Type.Enum([...PULL_POLICIES], { default: "missing", description: "When the image is pulled. Not for packages." }),
    ),
    groups: Type.Optional(
      Type.Array(Text, {
        maxItems: MAX_GROUPS,
        uniqueItems: true,
        description:
          "The groups that it is in; missing ones are created. Without this member its groups are left alone.",
        examples: [["work"]],
      }),
    ),
    labels: TextMap("Labels of the workload and its container, in Kubernetes' syntax.", { team: "maps" }),
    remote_forward_headers: TextMap("Headers for a remote server, by their names.", { "X-Team": "maps" }),
    remote_forward_headers_secret: TextMap("Names of stored secrets by the headers for a remote server.", {
      "X-API-Key": "weather-key",
    }),
  },
  { $id: "ProjectServer", additionalProperties: false, description: "One server of the project." },
);

export const ProjectFileSchema = Type.Object(
  {
    servers: Type.Record(Type.String(), ProjectServerSchema, {
      maxProperties: MAX_PROJECT_SERVERS,
      description: "The servers, by the names of their workloads.",
      examples: [{ fetch: { run: "fetch" } }],
    }),
  },
  { additionalProperties: false },
);

/** One server, as the file has it. */
export type ProjectEntry = Readonly<Static<typeof ProjectServerSchema>>;
export type ProjectFile = Readonly<Static<typeof ProjectFileSchema>>;
