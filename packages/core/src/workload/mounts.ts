/** Which files and folders of the host a workload gets: those of its profile, and the volumes that were asked for. */
import { access, realpath } from "node:fs/promises";
import {
  formatMountDeclaration,
  type MountDeclaration,
  parseMountDeclaration,
  resolveSource,
} from "../permissions/mount-declaration.ts";
import type { ContainerMount } from "../ports/container-engine.ts";
import type { PermissionProfile } from "../registry/registry-schema.ts";
import { ThvError } from "../support/errors.ts";
import { addProblems, type LocatedProblem } from "../support/located-problem.ts";
import { PROJECT_LABEL } from "./labels.ts";
import type { RunConfig } from "./run-config.ts";

/** Declarations as a run configuration keeps them: checked, and with absolute paths. */
export interface Grants {
  readonly permissionProfile?: PermissionProfile;
  readonly volumes: readonly string[];
}

interface GrantRequest {
  readonly permissionProfile?: PermissionProfile | undefined;
  readonly volumes?: readonly string[] | undefined;
}

/** @param folder That relative paths begin at. @param problems Gets everything that is wrong, with its path in the request. */
export function readGrants(
  { permissionProfile, volumes = [] }: GrantRequest,
  folder: string,
  problems: LocatedProblem[],
): Grants {
  const whole = (items: readonly string[], path: readonly string[], access: "read" | "write" | undefined) =>
    items.flatMap((text, index) => {
      const { declaration, found } = readDeclaration(text, { access, folder });
      addProblems(problems, [...path, String(index)], found);
      return declaration === undefined ? [] : [declaration];
    });
  const profile = ["permission_profile"];
  const read = whole(permissionProfile?.read ?? [], [...profile, "read"], "read");
  const write = whole(permissionProfile?.write ?? [], [...profile, "write"], "write");
  const asked = whole(volumes, ["volumes"], undefined);
  addProblems(problems, profile, listContradictions([...read, ...write]));
  addProblems(problems, ["volumes"], [...listContradictions(asked), ...listBothWays(asked)]);
  const format = (declarations: readonly MountDeclaration[]) => declarations.map(formatMountDeclaration);
  return {
    ...(permissionProfile && {
      permissionProfile: {
        ...permissionProfile,
        ...(permissionProfile.read && { read: format(read) }),
        ...(permissionProfile.write && { write: format(write) }),
      },
    }),
    volumes: format(asked),
  };
}

/** The mounts of a configuration; a volume takes the place of the profile's mount with the same path in the container. */
export function listMounts({
  permission_profile,
  volumes = [],
}: Pick<RunConfig, "permission_profile" | "volumes">): ContainerMount[] {
  const byTarget = new Map<string, ContainerMount>();
  const add = (items: readonly string[], readOnly: boolean) => {
    for (const text of items) {
      const declaration = parseMountDeclaration(text);
      if (typeof declaration === "string") throw new ThvError("STATE_CORRUPT", declaration);
      const { source, target, relabel } = declaration;
      byTarget.set(target, { source, target, readOnly: declaration.readOnly ?? readOnly, ...(relabel && { relabel }) });
    }
  };
  // In this order: a path that may be read and written can be written.
  add(permission_profile?.read ?? [], true);
  add(permission_profile?.write ?? [], false);
  add(volumes, false);
  return [...byTarget.values()];
}

/** @throws {ThvError} `INVALID_ARGUMENT` naming every path of this machine that is not there. */
export async function assertSourcesExist(mounts: readonly ContainerMount[]): Promise<void> {
  const missing = await Promise.all(
    mounts.map(async ({ source }) => {
      const isThere = await access(source).then(
        () => true,
        () => false,
      );
      return isThere ? [] : [source];
    }),
  );
  const paths = missing.flat();
  if (paths.length === 0) return;
  throw new ThvError(
    "INVALID_ARGUMENT",
    paths.map((path) => `"${path}" cannot be mounted: it does not exist`).join("; "),
    {
      hint: "Create it first, or correct the path. Nothing was started.",
    },
  );
}

/** @returns The targets of links among the sources, by source; other sources are omitted. */
export async function readRealSources(
  config: Pick<RunConfig, "permission_profile" | "volumes">,
): Promise<ReadonlyMap<string, string>> {
  const sources = [...new Set(listMounts(config).map(({ source }) => source))];
  const found = await Promise.all(
    // One that is not there is reported elsewhere; on another machine's engine, it is not ours to read.
    sources.map(async (source) => [source, await realpath(source).catch(() => source)] as const),
  );
  return new Map(found.filter(([source, real]) => source !== real));
}

/**
 * A project's folders were allowed as they were: one that has become a link since would be another folder, also at a start
 * long after.
 *
 * @throws {ThvError} `INVALID_ARGUMENT` naming each.
 */
export async function assertSourcesUnchanged(
  config: Pick<RunConfig, "permission_profile" | "volumes" | "container_labels">,
): Promise<void> {
  if (config.container_labels?.[PROJECT_LABEL] === undefined) return;
  const links = [...(await readRealSources(config))].map(([source, real]) => `"${source}" is a link to "${real}"`);
  if (links.length === 0) return;
  throw new ThvError("INVALID_ARGUMENT", `${links.join("; ")}: its server was allowed a folder, and no link.`, {
    hint: "Look at the folder, and bring the project up again: thv up",
  });
}

function readDeclaration(
  text: string,
  { access, folder }: { access: "read" | "write" | undefined; folder: string },
): { readonly declaration?: MountDeclaration; readonly found: readonly string[] } {
  const declaration = parseMountDeclaration(text);
  if (typeof declaration === "string") return { found: [declaration] };
  const isContradiction = access !== undefined && declaration.readOnly === (access === "write");
  return {
    declaration: resolveSource(declaration, folder),
    found: isContradiction ? [`mount "${text}" is ${access === "read" ? "rw" : "ro"}, but listed in ${access}`] : [],
  };
}

/** Two sources for one path of the container; the same one twice is only said twice. */
function listContradictions(declarations: readonly MountDeclaration[]): string[] {
  const sources = new Map<string, string>();
  return declarations.flatMap(({ source, target }) => {
    const first = sources.get(target) ?? source;
    sources.set(target, first);
    return first === source ? [] : [`"${first}" and "${source}" are both mounted at ${target}`];
  });
}

/** A volume to read and to write: which one counts would be the order's choice. */
function listBothWays(volumes: readonly MountDeclaration[]): string[] {
  const first = new Map<string, MountDeclaration>();
  return volumes.flatMap((volume) => {
    const before = first.get(volume.target) ?? volume;
    first.set(volume.target, before);
    if (before.source !== volume.source || (before.readOnly ?? false) === (volume.readOnly ?? false)) return [];
    return [`"${formatMountDeclaration(before)}" and "${formatMountDeclaration(volume)}" contradict each other`];
  });
}
