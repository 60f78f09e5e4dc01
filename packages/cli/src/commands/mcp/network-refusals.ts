/** What the network filter of a workload has refused: it is often why a call fails, and the server itself does not know. */
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";

/** Milliseconds for which the filter writes down one target once. */
const LOGGED_ONCE_MS = 60_000;
const MAX_SHOWN = 3;

/** @param startedAt Of the call, milliseconds since 1970. @returns Targets, as `thv permission allow` takes them; the newest first. */
async function listRefused(server: string, startedAt: number, context: CommandContext): Promise<string[]> {
  try {
    const client = await connectIfNeeded(context);
    const { denied } = (await client?.call("listDenied", { params: { name: server } })) ?? { denied: [] };
    const recent = denied.filter(({ last_at: at }) => at !== undefined && Date.parse(at) >= startedAt - LOGGED_ONCE_MS);
    return recent.map(({ host, port }) => (port === undefined ? host : `${host}:${port}`));
  } catch {
    // The call failed for itself, and an address has no filter of ours.
    return [];
  }
}

/** @returns The same failure; with what the filter refused meanwhile, and the command that allows it. */
export async function explainByNetwork(
  { code, message, hint, cause }: ThvError,
  server: string,
  startedAt: number,
  context: CommandContext,
): Promise<ThvError> {
  const refused = await listRefused(server, startedAt, context);
  const [newest] = refused;
  if (newest === undefined) return new ThvError(code, message, { hint, cause });
  const targets = refused.slice(0, MAX_SHOWN).join(", ");
  const reason = `Within the last minute, the network filter of ${server} refused ${targets}.`;
  return new ThvError(code, `${message.replace(/\.?$/, ".")} ${reason}`, {
    hint: `If it may reach that: thv permission allow ${server} ${newest}`,
    cause,
  });
}
