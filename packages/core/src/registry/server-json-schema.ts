/**
 * A `server.json` of the official MCP registry, as far as it is read: https://modelcontextprotocol.io/registry. Members that
 * are not named here may have any value.
 */
import { toRecord } from "@toolhive/http/values";
import * as Type from "typebox";
import { describePattern } from "../schemas/pattern-words.ts";

/** Key of what a publisher adds to a `server.json`. */
export const PUBLISHER_KEY = "io.modelcontextprotocol.registry/publisher-provided";
/** Key of the metadata that the registry itself adds to an entry. */
export const OFFICIAL_KEY = "io.modelcontextprotocol.registry/official";
/** Key of our members among those of a publisher. */
export const EXTENSION_KEY = "io.github.stacklok";
/** What an entry of our map without a version gets. */
export const DEFAULT_VERSION = "1.0.0";
export const SERVER_JSON_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

export const LONG_NAME_PATTERN = describePattern(
  "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
  "a namespace and a name with one slash between them, for example io.github.owner/server",
);

/** Publishers write numbers and booleans, too. */
const Text = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const OptionalText = Type.Optional(Text);
const Flag = Type.Optional(Type.Boolean());

const INPUT_MEMBERS = {
  description: Type.Optional(Type.String()),
  isRequired: Flag,
  isSecret: Flag,
  default: OptionalText,
  value: OptionalText,
  choices: Type.Optional(Type.Array(Text)),
};

const InputSchema = Type.Object(INPUT_MEMBERS);
const Variables = Type.Optional(Type.Record(Type.String(), InputSchema));

const NamedInputSchema = Type.Object({ ...INPUT_MEMBERS, name: Type.String({ minLength: 1 }), variables: Variables });

const ArgumentSchema = Type.Object({
  ...INPUT_MEMBERS,
  type: Type.Enum(["positional", "named"]),
  name: Type.Optional(Type.String()),
  valueHint: Type.Optional(Type.String()),
  variables: Variables,
});

const TransportSchema = Type.Object({
  type: Type.String(),
  url: Type.Optional(Type.String()),
  headers: Type.Optional(Type.Array(NamedInputSchema)),
  variables: Variables,
});

const PackageSchema = Type.Object({
  registryType: Type.String(),
  identifier: Type.String({ minLength: 1 }),
  registryBaseUrl: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  transport: Type.Optional(TransportSchema),
  runtimeArguments: Type.Optional(Type.Array(ArgumentSchema)),
  packageArguments: Type.Optional(Type.Array(ArgumentSchema)),
  environmentVariables: Type.Optional(Type.Array(NamedInputSchema)),
});

export const ServerJsonSchema = Type.Object({
  name: Type.String({ minLength: 3, maxLength: 200, pattern: LONG_NAME_PATTERN }),
  description: Type.String({ minLength: 1 }),
  version: Type.String({ minLength: 1, maxLength: 255 }),
  title: Type.Optional(Type.String()),
  repository: Type.Optional(Type.Object({ url: Type.Optional(Type.String()) })),
  icons: Type.Optional(
    Type.Array(
      Type.Object({
        src: Type.Optional(Type.String()),
        mimeType: Type.Optional(Type.String()),
        theme: Type.Optional(Type.String()),
      }),
    ),
  ),
  packages: Type.Optional(Type.Array(PackageSchema)),
  remotes: Type.Optional(Type.Array(TransportSchema)),
  _meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export type ServerJson = Type.Static<typeof ServerJsonSchema>;
export type ServerPackage = Type.Static<typeof PackageSchema>;
export type ServerTransport = Type.Static<typeof TransportSchema>;
export type ServerArgument = Type.Static<typeof ArgumentSchema>;
export type ServerInput = Type.Static<typeof InputSchema>;
export type NamedInput = Type.Static<typeof NamedInputSchema>;

/** Members as our map has them, by the kind of entry. Other members are omitted. */
export const EXTENSION_MEMBERS = {
  both: ["tier", "overview", "tool_definitions", "custom_metadata"],
  image: ["permissions", "args", "provenance", "docker_tags", "proxy_port", "base_image", "with"],
  remote: ["oauth_config", "env_vars"],
} as const;

/** Members that the schema of an entry checks; an invalid tag or tool is omitted instead. */
export function readExtension(
  meta: Readonly<Record<string, unknown>> | undefined,
  id: string,
  kind: "image" | "remote",
): Record<string, unknown> {
  const all = toRecord(toRecord(meta?.[PUBLISHER_KEY])[EXTENSION_KEY]);
  const ids = Object.keys(all);
  const key = Object.hasOwn(all, id) ? id : ids.length === 1 ? ids[0] : undefined;
  if (key === undefined) return {};
  const found = toRecord(all[key]);
  const kept = [...EXTENSION_MEMBERS.both, ...EXTENSION_MEMBERS[kind]].filter((name) => found[name] !== undefined);
  const tools = listMatching(found.tools, /^[A-Za-z0-9_-]+$/);
  const tags = listMatching(found.tags, /^[a-z0-9_-]{2,}$/);
  const status = typeof found.status === "string" ? found.status.toLowerCase() : "";
  const metadata = pickMetadata(toRecord(found.metadata));
  return {
    ...Object.fromEntries(kept.map((name) => [name, found[name]])),
    ...(kind === "image" && found.permissions !== undefined && { permissions: dropFalse(found.permissions) }),
    ...(tools.length > 0 && { tools }),
    ...(tags.length > 0 && { tags }),
    ...(status === "deprecated" && { status: "Deprecated" }),
    ...(metadata && { metadata }),
  };
}

/** `privileged: false` is what every server here has. With `true` the entry is refused: nothing here runs like that. */
function dropFalse(permissions: unknown): unknown {
  const { privileged, ...rest } = toRecord(permissions);
  return privileged === false || privileged === undefined ? rest : permissions;
}

function pickMetadata({ stars, pulls, last_updated }: Record<string, unknown>) {
  const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
  const picked = {
    ...(isCount(stars) && { stars: stars as number }),
    ...(isCount(pulls) && { pulls: pulls as number }),
    ...(typeof last_updated === "string" && { last_updated }),
  };
  return Object.keys(picked).length > 0 ? picked : undefined;
}

function listMatching(value: unknown, pattern: RegExp): string[] {
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === "string" && pattern.test(item)) : [];
  return [...new Set(texts as string[])];
}
