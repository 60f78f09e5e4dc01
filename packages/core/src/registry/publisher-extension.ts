/**
 * What a publisher adds to a `server.json` for us: tier, tools, permissions and so on, by the identifier of the package or
 * the address of the remote server.
 */
import { EXTENSION_KEY, PUBLISHER_KEY } from "./server-json-schema.ts";

/** Members as our map has them, by the kind of entry. What else is there is left out. */
export const EXTENSION_MEMBERS = {
  both: ["tier", "overview", "tool_definitions", "custom_metadata"],
  image: ["permissions", "args", "provenance", "docker_tags", "proxy_port"],
  remote: ["oauth_config", "env_vars"],
} as const;

/** Members that the schema of an entry checks; a tag or a tool that is none is left out instead. */
export function readExtension(
  meta: Readonly<Record<string, unknown>> | undefined,
  id: string,
  kind: "image" | "remote",
): Record<string, unknown> {
  const all = asObject(asObject(meta?.[PUBLISHER_KEY])[EXTENSION_KEY]);
  const ids = Object.keys(all);
  const key = Object.hasOwn(all, id) ? id : ids.length === 1 ? ids[0] : undefined;
  if (key === undefined) return {};
  const found = asObject(all[key]);
  const kept = [...EXTENSION_MEMBERS.both, ...EXTENSION_MEMBERS[kind]].filter((name) => found[name] !== undefined);
  const tools = listMatching(found.tools, /^[A-Za-z0-9_-]+$/);
  const tags = listMatching(found.tags, /^[a-z0-9_-]{2,}$/);
  const status = typeof found.status === "string" ? found.status.toLowerCase() : "";
  const metadata = pickMetadata(asObject(found.metadata));
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
  const { privileged, ...rest } = asObject(permissions);
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

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
