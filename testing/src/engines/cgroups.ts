/** The control groups of a run: those of its containers, which engines that are killed leave behind. */
import { readdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readSystemCode } from "@toolhive/core/errors";
import { waitFor } from "../wait-for.ts";

const ROOT = "/sys/fs/cgroup";
/** Podman's cannot be configured; several Podmans share it. */
const PODMAN_PARENT = "libpod_parent";

export interface GroupedRun {
  /** Docker's control groups are below one of this name. */
  readonly name: string;
  readonly podmanContainers: readonly string[];
}

/** Of the cluster that was started beside the engines of a run. */
export function nameClusterGroup(runName: string): string {
  return `${runName}.cluster`;
}

/** Where control groups are made: one folder, or, of version 1, one for each controller. */
async function listHierarchies(): Promise<string[]> {
  const entries = await readdir(ROOT, { withFileTypes: true }).catch(() => []); // a machine without control groups
  if (entries.some(({ name }) => name === "cgroup.procs")) return [ROOT];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(ROOT, name));
}

/** A control group that does not exist is fine. One with processes stays. @returns Whether it is gone. */
async function removeGroup(path: string): Promise<boolean> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return true;
  for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(path, entry.name));
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (readSystemCode(error) === "ENOENT") return true;
    if (["EBUSY", "ENOTEMPTY"].includes(readSystemCode(error) ?? "")) return false;
    throw error;
  }
}

interface Group {
  /** The control group of the hierarchy that all Podmans share. */
  readonly parent: string;
  readonly path: string;
}

async function listGroups({ name, podmanContainers }: GroupedRun): Promise<Group[]> {
  const groups: Group[] = [];
  for (const hierarchy of await listHierarchies()) {
    const parent = join(hierarchy, PODMAN_PARENT);
    const children = await readdir(parent).catch(() => []); // no Podman ran here
    const ofContainers = children.filter((child) => podmanContainers.some((id) => child.includes(id)));
    groups.push({ parent, path: join(hierarchy, name) });
    groups.push({ parent, path: join(hierarchy, nameClusterGroup(name)) });
    groups.push(...ofContainers.map((child) => ({ parent, path: join(parent, child) })));
  }
  return groups;
}

async function thaw(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await thaw(join(path, entry.name));
    if (entry.name === "freezer.state") await writeFile(join(path, entry.name), "THAWED");
  }
}

/** Lets paused containers run: with control groups of version 1, even a killed process stays while it is paused. */
export async function thawGroups(run: GroupedRun): Promise<void> {
  for (const { path } of await listGroups(run)) await thaw(path);
}

/** Call it when the run's processes are gone. @throws {Error} When a control group of the run does not go. */
export async function removeGroups(run: GroupedRun): Promise<void> {
  for (const { parent, path } of await listGroups(run)) {
    // A process that was killed leaves its group a moment after it has ended.
    await waitFor(() => removeGroup(path), { what: `the control group ${path} to be empty` });
    // Other Podmans may be at work in it; without their containers it is an empty folder, which the next one makes again.
    await removeGroup(parent);
  }
}
