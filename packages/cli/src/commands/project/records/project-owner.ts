/**
 * Whose the servers of a project are. A project without a name belongs to the path of its file; one with a name belongs to the
 * file that `thv up` last ran for it, as the record in the state directory says. What was allowed counts for that path alone.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { formatProjectLabel } from "@toolhive/core";
import { resolveDirectories } from "@toolhive/core/directories";
import { ThvError } from "@toolhive/core/errors";
import { quoteWord } from "@toolhive/http/values";
import { type Approval, findProjectFile, readApproval } from "./project-approval.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Records that are read; more projects than anybody has. */
const MAX_RECORDS = 1_000;

export interface Ownership {
  /** Labels of the servers that this file has made: its own, and those of names that it had before. */
  readonly labels: ReadonlySet<string>;
  /** What was allowed to this very file. */
  readonly approval: Approval | undefined;
  /** Whether that is recorded for the present name. */
  readonly isRecorded: boolean;
  /** Another file whose project has the same name. */
  readonly other?: { readonly path: string; readonly isThere: boolean };
}

export async function readOwnership(
  { path, label }: { readonly path: string; readonly label: string },
  env: Environment,
): Promise<Ownership> {
  const record = await readApproval(label, env);
  const earlier = await listEarlier(path, label, env);
  const labels = new Set([label, formatProjectLabel(path), ...earlier.map((each) => each.label)]);
  if (record === undefined) return { labels, approval: earlier[0]?.approval, isRecorded: false };
  if (record.path === path) return { labels, approval: record, isRecorded: true };
  const { isThere } = await findProjectFile(label, env);
  return { labels, approval: undefined, isRecorded: false, other: { path: record.path, isThere } };
}

/** Records of other names of this file. */
async function listEarlier(
  path: string,
  label: string,
  env: Environment,
): Promise<{ readonly label: string; readonly approval: Approval }[]> {
  const folder = join(resolveDirectories({ env }).state, "projects");
  const files = await readdir(folder).catch(() => []);
  const labels = files.filter((file) => file.endsWith(".json")).map((file) => file.slice(0, -".json".length));
  const found: { label: string; approval: Approval }[] = [];
  for (const each of labels.filter((other) => other !== label).slice(0, MAX_RECORDS)) {
    const approval = await readApproval(each, env);
    if (approval?.path === path) found.push({ label: each, approval });
  }
  return found;
}

/** @throws {ThvError} `WORKLOAD_EXISTS`. */
export function throwOtherFile(path: string, name: string | undefined, other: string, hint: string): never {
  throw new ThvError(
    "WORKLOAD_EXISTS",
    `The servers of the project "${name}" belong to ${other}, and not to ${path}.`,
    {
      hint,
    },
  );
}

/** The command that does something with another file. */
export function formatWith(command: string, path: string): string {
  return `${command} --file ${quoteWord(path)}`;
}
