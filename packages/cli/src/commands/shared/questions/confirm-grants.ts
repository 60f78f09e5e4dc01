/**
 * Shows the grants that files and registries ask for with a server before anything happens, and asks for consent: the same lines
 * and the same question wherever a file becomes a server.
 */
import { type Grant, listFurtherGrants, listGrants, type RunPlan } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { askYes } from "../../../terminal/input.ts";
import { showLine } from "../../../terminal/shown-text.ts";
import type { Terminal } from "../../../terminal/terminal.ts";

/** Characters of one line; what decides is at its beginning. */
const MAX_SHOWN = 300;

/** One server with what it would get. */
export interface GrantedServer {
  readonly name: string;
  readonly grants: readonly (Grant & { readonly isNew?: boolean })[];
  readonly warnings: readonly string[];
}

/** Each grant on a line of its own; `+` marks new ones of an existing server. */
export function formatGrants(grants: GrantedServer["grants"]): string[] {
  const marks = grants.some(({ isNew }) => isNew !== undefined);
  return grants.map(({ kind, text, isNew }) => {
    const mark = marks ? `${isNew ? "+" : " "} ` : "";
    const shown = showLine(text);
    const cut = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}… (${shown.length} characters)` : shown;
    return `    ${mark}${`${kind}:`.padEnd(11)}${cut}`;
  });
}

export function showGrants(servers: readonly GrantedServer[], terminal: Terminal): void {
  for (const { name, grants, warnings } of servers) {
    terminal.info(`${name} would get:`);
    for (const line of formatGrants(grants)) terminal.info(line);
    for (const warning of warnings) terminal.info(`Warning: ${name}: ${showLine(warning)}`);
  }
}

interface Asking {
  /** What asks for it: a path, for example. */
  readonly source: string;
  readonly isAllowed: boolean;
  /** The command that does it without a question. */
  readonly command: string;
}

/** @throws {ThvError} `NOT_CONFIRMED` without a terminal, `INTERRUPTED` after a no. */
export async function confirmGrants(
  servers: readonly GrantedServer[],
  { source, isAllowed, command }: Asking,
  terminal: Terminal,
): Promise<void> {
  if (servers.length === 0) return;
  showGrants(servers, terminal);
  if (isAllowed) return;
  const names = servers.map(({ name }) => name).join(", ");
  if (!terminal.canAsk) {
    throw new ThvError("NOT_CONFIRMED", `${source} needs your permission for ${names}.`, {
      hint: `Nothing was started. Review the lines above, then allow them: ${command}`,
    });
  }
  const question = `${source} asks for this. Allow it, and start ${names}?`;
  if (!(await askYes(terminal, question))) throw new ThvError("INTERRUPTED", "Cancelled: nothing was started.");
}

/** Asks only where the server would get more than a container has by default. @throws {ThvError} as `confirmGrants`. */
export async function confirmPlan(plan: RunPlan, asking: Asking, terminal: Terminal): Promise<void> {
  if (listFurtherGrants(plan).length === 0) return;
  await confirmGrants([{ name: plan.name, grants: listGrants(plan), warnings: plan.warnings }], asking, terminal);
}
