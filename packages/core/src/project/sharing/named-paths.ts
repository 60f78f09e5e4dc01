/** Paths that a project file names: which files go with it when it is shared, and which cannot. */
import { posix } from "node:path";
import { isRecord, toRecord } from "@toolhive/http/values";
import { parseYamlDocument, readYamlValue } from "../../files/parse-yaml.ts";
import { parseMountDeclaration } from "../../permissions/mount-declaration.ts";
import { findRelativeFolder } from "../../target/target.ts";
import { placeLock } from "../project-lock.ts";

/** Files of `extends` that are followed, one from the other. */
const MAX_PROJECT_FILES = 10;
/** Members of a server's `access` that name a file which everybody may read. */
const ACCESS_FILES = ["authz_config", "audit_config", "thv_ca_bundle"] as const;
/** The same, for a file whose content is secret. */
const SECRET_FILES = ["jwks_auth_token_file"] as const;

export interface NamedPath {
  /** Where the file names it, such as `servers.fetch.volumes`. */
  readonly member: string;
  /** As written. */
  readonly path: string;
  /** `project`: another project file that this one extends. `secret`: its content is secret. `folder`: a server gets it. */
  readonly kind: "file" | "project" | "secret" | "folder";
}

/** Paths that begin at the project file; whole paths and addresses are none. `[]` for a text that is no project file. */
export function listRelativePaths(text: string): NamedPath[] {
  const file = readPlain(text);
  const { extends: bases, servers } = file;
  const base = (Array.isArray(bases) ? bases : [bases]).map((path) => ({ member: "extends", path, kind: "project" }));
  const named = Object.entries(toRecord(servers)).flatMap(([name, value]) =>
    isRecord(value) ? listServerPaths(`servers.${name}`, value) : [],
  );
  return [...base, ...named].filter((each): each is NamedPath => isRelative(each.path));
}

function listServerPaths(server: string, value: Readonly<Record<string, unknown>>) {
  const { access, ca_cert, volumes, permissions, run } = value;
  const { read, write } = toRecord(permissions);
  const members = toRecord(access);
  const files = ACCESS_FILES.map((each) => ({ member: `${server}.access.${each}`, path: members[each], kind: "file" }));
  const secrets = SECRET_FILES.map((each) => ({
    member: `${server}.access.${each}`,
    path: members[each],
    kind: "secret",
  }));
  const mounts = Object.entries({ volumes, "permissions.read": read, "permissions.write": write }).flatMap(
    ([member, texts]) =>
      (Array.isArray(texts) ? texts : []).map((text) => ({
        member: `${server}.${member}`,
        path: readSource(text),
        kind: "folder",
      })),
  );
  const folder = typeof run === "string" ? findRelativeFolder(run) : undefined;
  return [
    ...files,
    ...secrets,
    { member: `${server}.ca_cert`, path: ca_cert, kind: "file" },
    ...mounts,
    { member: `${server}.run`, path: folder, kind: "folder" },
  ];
}

function readSource(text: unknown): string | undefined {
  const declaration = typeof text === "string" ? parseMountDeclaration(text) : "";
  return typeof declaration === "string" ? undefined : declaration.source;
}

/** A policy may stand in the file itself, as JSON, and a base may have an address. */
function isRelative(path: unknown): boolean {
  if (typeof path !== "string" || path === "" || /^\s*[{[]/.test(path)) return false;
  return !(path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:[\\/]/.test(path) || path.includes("://"));
}

export interface ProjectFiles {
  /** Beside the project file, by their paths from its folder with `/`; without duplicates, sorted. */
  readonly files: readonly string[];
  /** What cannot go with it. */
  readonly left: readonly NamedPath[];
}

/**
 * @param main Name of the project file.
 * @param read Reads another project file by its path from the first one's folder; `undefined` where there is none.
 */
export async function listProjectFiles(
  main: string,
  text: string,
  read: (path: string) => Promise<string | undefined>,
): Promise<ProjectFiles> {
  const files = new Set<string>();
  const left: NamedPath[] = [];
  const waiting = [{ name: main, text }];
  const seen = new Set([main]);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const named of listRelativePaths(next.text)) {
      const path = posix.join(posix.dirname(next.name), named.path.replaceAll("\\", "/"));
      const isInside = path !== ".." && !path.startsWith("../");
      if (!isInside || named.kind === "folder" || named.kind === "secret") {
        left.push(named);
        continue;
      }
      if (path !== main) files.add(path);
      if (named.kind !== "project" || seen.has(path) || seen.size >= MAX_PROJECT_FILES) continue;
      seen.add(path);
      const base = await read(path);
      if (base !== undefined) waiting.push({ name: path, text: base });
    }
  }
  return { files: [...files].sort(), left };
}

/**
 * A project has what its file names, and nothing that another program might read where it is written.
 *
 * @returns The first of the others that is not named, and what cannot go with the project.
 */
export async function findUnnamed(
  main: string,
  text: string,
  others: readonly { readonly name: string; readonly bytes: Uint8Array; readonly kind: string }[],
): Promise<{ readonly unnamed: string | undefined; readonly left: readonly NamedPath[] }> {
  const { files, left } = await listProjectFiles(main, text, async (path) => {
    const found = others.find(({ name }) => name === path);
    return found && Buffer.from(found.bytes).toString("utf8");
  });
  const isNamed = (kind: string, name: string) => (kind === "lock" ? name === placeLock(main) : files.includes(name));
  return { unnamed: others.find(({ kind, name }) => !isNamed(kind, name))?.name, left };
}

function readPlain(text: string): Readonly<Record<string, unknown>> {
  const document = parseYamlDocument(text);
  if (document.errors.length > 0) return {};
  return toRecord(readYamlValue(document));
}
