/**
 * The project file, `thv.yaml`: which servers a folder needs, for everybody who works there. Validation, the JSON schema for
 * editors and the request that creates each server come from this one definition. A member is called like the flag of
 * `thv run`, with `_` in the place of `-`.
 */
import * as Type from "typebox";
import { ACCESS_REQUEST_MEMBERS } from "../access/access-request-schema.ts";
import { GROUP_TOOL_MEMBERS, TOOL_MEMBERS } from "../access/tool-selection.ts";
import { CLIENTS } from "../clients/client-types.ts";
import { BUILT_IN_PROFILES } from "../permissions/permission-profile.ts";
import { GROUP_NAMINGS } from "../ports/group-endpoint.ts";
import { PermissionProfileSchema, ProvenanceSchema, REGISTRY_TRANSPORTS } from "../registry/registry-schema.ts";
import { RemoteSignInSchema } from "../remote/remote-schema.ts";
import { describePattern } from "../schemas/pattern-words.ts";
import { CreateRequestSchema, PROXY_MODES, PULL_POLICIES, SHARED_MEMBERS } from "../workload/create-request-schema.ts";

export const MAX_PROJECT_SERVERS = 100;
const MAX_ITEMS = 1_000;
const MAX_GROUPS = 20;
/** Files that one file extends. */
export const MAX_EXTENDED = 10;
/** Groups that a file describes. */
const MAX_FILE_GROUPS = 100;

const MEMORY_PATTERN = describePattern("^(?:0|[0-9]+(?:\\.[0-9]+)?[bkmgBKMG]?)$", "a size such as 512m or 2g");
/** A label's value, too. Without a dot: a file without a name has one in its label. */
const PROJECT_NAME_PATTERN = describePattern(
  "^[a-z][a-z0-9-]{0,38}[a-z0-9]$",
  "2 to 40 small letters, digits and hyphens, with a letter first and no hyphen at the end",
);
const SLEEP_PATTERN = describePattern("^(?:0|(?:[0-9]+[smh])+)$", "a time such as 90s, 10m or 1h30m, or 0 for never");

const Text = Type.String({ minLength: 1 });
const List = (description: string, examples: readonly string[]) =>
  Type.Optional(Type.Array(Text, { maxItems: MAX_ITEMS, description, examples: [examples] }));
const TextMap = (description: string, example: Readonly<Record<string, string>>) =>
  Type.Optional(
    Type.Record(Type.String(), Type.String(), { maxProperties: MAX_ITEMS, description, examples: [example] }),
  );

/** The same members, and no others: one that is not known may be one that protects. */
function refuseOthers<Properties extends Type.TProperties>(schema: Type.TObject<Properties>) {
  const { $id, description } = schema as { readonly $id?: string; readonly description?: string };
  const options = { additionalProperties: false, ...($id && { $id }), ...(description && { description }) };
  return Type.Object(schema.properties, options);
}

const File = (description: string, examples: readonly string[]) =>
  Type.Optional(
    Type.String({ minLength: 1, description: `${description} A relative path begins at this file.`, examples }),
  );

const AccessSchema = Type.Object(
  {
    ...ACCESS_REQUEST_MEMBERS,
    oidc: Type.Optional(refuseOthers(ACCESS_REQUEST_MEMBERS.oidc)),
    telemetry: Type.Optional(refuseOthers(ACCESS_REQUEST_MEMBERS.telemetry)),
    thv_ca_bundle: File("PEM file to trust, besides the usual, when the issuer is reached.", ["./ca.pem"]),
    jwks_auth_token_file: File("File with the bearer token that the issuer asks for.", ["./token"]),
    authz_config: File("File with Cedar policies, JSON or YAML; or its JSON itself.", ["./policies.yaml"]),
    audit_config: File("JSON file with the audit settings; or the JSON itself.", ["./audit.json"]),
  },
  {
    $id: "ProjectAccess",
    additionalProperties: false,
    description: "Who may call the server, what policies allow, and where calls are recorded.",
    examples: [{ authz_config: "./policies.yaml", enable_audit: true }],
  },
);

const { host, allowed_hosts, target_host, image_digest } = CreateRequestSchema.properties;

const ProjectServerSchema = Type.Object(
  {
    run: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "What is run: the name of a server in the registry, an image, a package as npx://, uvx:// or go:// (a folder begins at this file), or the address of a remote server.",
      examples: ["fetch", "mcp/everything:latest", "npx://@acme/weather@1.4.0", "https://mcp.example.com/mcp"],
    }),
    args: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: MAX_ITEMS,
        description: "Arguments for the server, after those of the registry.",
        examples: [["--verbose"]],
      }),
    ),
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
      Type.Enum([...PROXY_MODES], {
        default: PROXY_MODES[1],
        description: "Transport that clients of a stdio server use.",
      }),
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
    host,
    allowed_hosts,
    target_host,
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
    learn: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether its network rules are learned, as with `thv run --learn`.",
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
    image_digest,
    provenance: Type.Optional(ProvenanceSchema),
    ca_cert: File("PEM file that the build of a package's image trusts.", ["./ca.pem"]),
    access: Type.Optional(AccessSchema),
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
    remote_auth: Type.Optional(refuseOthers(RemoteSignInSchema)),
    remote_allow_http: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether a remote server on another machine may be reached by http://, without secrets.",
      }),
    ),
  },
  { $id: "ProjectServer", additionalProperties: false, description: "One server of the project." },
);

export const ProjectGroupSchema = Type.Object(
  {
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65535,
        description: "Port of the group's URL. Default: a free one, which the group keeps.",
      }),
    ),
    naming: Type.Optional(
      Type.Enum([...GROUP_NAMINGS], {
        default: "auto",
        description:
          "When names of tools and prompts begin with the name of their server. `auto`: if several servers have the name. `always`, `never`.",
      }),
    ),
    ...GROUP_TOOL_MEMBERS,
    clients: Type.Optional(
      Type.Array(Type.Enum(CLIENTS.map(({ id }) => id)), {
        maxItems: CLIENTS.length,
        uniqueItems: true,
        description: "MCP clients that get the group's URL. Other clients stay registered for the group.",
        examples: [["cursor", "vscode"]],
      }),
    ),
  },
  {
    $id: "ProjectGroup",
    additionalProperties: false,
    description: "One group. `default` has `clients` alone: they get the URL of each server that is in no other group.",
  },
);

export const ProjectFileSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: PROJECT_NAME_PATTERN,
        description:
          "Name of the project. Its servers belong to this name, wherever the file is. Default: they belong to the path of the file.",
        examples: ["shop"],
      }),
    ),
    extends: Type.Optional(
      Type.Array(Text, {
        maxItems: MAX_EXTENDED,
        description:
          "Other project files, by relative paths, whose servers and groups this one has, too. A later file wins over an earlier one, and this one over all, member by member.",
        examples: [["./base.yaml"]],
      }),
    ),
    servers: Type.Record(Type.String(), ProjectServerSchema, {
      maxProperties: MAX_PROJECT_SERVERS,
      description: "The servers, by the names of their workloads.",
      examples: [{ fetch: { run: "fetch" } }],
    }),
    groups: Type.Optional(
      Type.Record(Type.String(), ProjectGroupSchema, {
        maxProperties: MAX_FILE_GROUPS,
        description:
          "What groups offer, and who gets it, by the names of the groups. Servers name the groups that they are in.",
        examples: [{ work: { find_tools: true, clients: ["cursor"] } }],
      }),
    ),
  },
  { additionalProperties: false },
);

/** One server, as the file has it. */
export type ProjectEntry = Readonly<Type.Static<typeof ProjectServerSchema>>;
export type ProjectAccess = NonNullable<ProjectEntry["access"]>;
/** One group, as the file has it. */
export type ProjectGroupEntry = Readonly<Type.Static<typeof ProjectGroupSchema>>;
export type ProjectFile = Readonly<Type.Static<typeof ProjectFileSchema>>;
