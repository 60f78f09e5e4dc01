/** A tag of an image registry that names another project than the one that ran here: shown, and asked about. */
import type { Project } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { askYes } from "../../terminal/input.ts";
import type { ProjectComparison } from "./compare-project.ts";
import { describePlanned } from "./outcomes.ts";
import type { Asked } from "./project-report.ts";
import { formatUp } from "./source/project-files.ts";
import type { SharedOrigin } from "./source/shared-project.ts";

/** What asks for grants, with the digest that it has now. */
export function describeSource({ path }: Project, origin: SharedOrigin | undefined): string {
  if (origin === undefined) return path;
  const { reference, digest } = origin;
  return reference.includes("@") ? reference : `${reference}@${digest}`;
}

export function showMoved(origin: SharedOrigin | undefined, { terminal }: CommandContext): void {
  if (origin?.before !== undefined) terminal.info(`${describeMove(origin, origin.before)}.`);
}

function describeMove({ reference, digest }: SharedOrigin, before: string): string {
  return `${reference} is another project now: ${before} → ${digest}`;
}

/**
 * Asks where no grants are asked about: the person then sees what else differs.
 *
 * @throws {ThvError} `NOT_CONFIRMED` without a terminal, `INTERRUPTED` after a no.
 */
export async function confirmMoved(
  origin: SharedOrigin | undefined,
  { steps }: ProjectComparison,
  { isAllowed, command }: { readonly isAllowed: boolean; readonly command: string },
  context: CommandContext,
): Promise<void> {
  if (origin?.before === undefined) return;
  const { terminal } = context;
  showMoved(origin, context);
  for (const step of steps) if (step.action !== "none") terminal.info(describePlanned(step, []).line);
  if (isAllowed) return;
  if (!terminal.canAsk) {
    throw new ThvError("NOT_CONFIRMED", `${origin.reference} is another project than the one that you allowed.`, {
      hint: `Nothing was changed. Review the lines above, then allow it: ${command}`,
    });
  }
  if (!(await askYes(terminal, `Use ${origin.reference} as it is now?`)))
    throw new ThvError("INTERRUPTED", "Cancelled: nothing was changed.");
}

/** @throws {ThvError} `PROJECT_DIFFERS` where no server differs, but the tag names another project. */
export function throwMoved(origin: SharedOrigin | undefined, { given }: Asked): void {
  if (origin?.before === undefined) return;
  throw new ThvError("PROJECT_DIFFERS", `${describeMove(origin, origin.before)}.`, {
    hint: `Apply it: ${formatUp(given)}`,
  });
}
