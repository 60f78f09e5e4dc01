/** `thv auth`: the supervisor signs in and keeps the result; the command shows the user what to do, and waits. */
import { setTimeout as delay } from "node:timers/promises";
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { type ErrorCode, ThvError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { Progress } from "../../terminal/progress.ts";
import { printTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { formatTime } from "../../terminal/time-words.ts";
import { awaitStatus, findWorkload, type WorkloadView } from "../shared/await-status.ts";
import { openBrowserPrivately } from "../shared/browser/open-browser.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import { withUnlocked } from "../shared/unlock.ts";
import type { AUTH_LOGIN, AUTH_LOGOUT, AUTH_STATUS } from "./definition.ts";

type Status = OperationAnswer<"getSignIn">;
type Offer = OperationAnswer<"beginSignIn">;

const POLL_MS = 250;
/** As long as the supervisor waits for one answer of a remote server, and a little more. */
const ACCEPTANCE_TIMEOUT_MS = 25_000;
const NOTHING = "-";

export const login: CommandHandler<typeof AUTH_LOGIN> = async (input, context) => {
  const [name] = input.positionals;
  const { terminal } = context;
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  const before = await findWorkload(client, name);
  using begun = await beginSignIn(client, name, input, context);
  const status = await awaitSignIn(client, name, begun.offer, context);
  if (before) await awaitAcceptance(client, before, context);
  if (input.format === "json") terminal.printJson(status);
  else terminal.print(`Signed in at ${status.issuer ?? status.server} for ${name}.`);
  if (status.kept_in === "memory") {
    terminal.info(
      "Nothing on this machine can keep the sign-in, so that it ends with the supervisor. To keep it: thv secret setup",
    );
  }
};

/** Until it is disposed of, what the browser was opened with stays readable for it. */
interface BegunSignIn extends Disposable {
  readonly offer: Offer;
}

/** Prints what a person has to do, and opens the browser. */
export async function beginSignIn(
  client: ApiClient,
  name: string,
  { device, skipBrowser }: { readonly device: boolean; readonly skipBrowser: boolean },
  context: CommandContext,
): Promise<BegunSignIn> {
  const method = device ? "device" : hasDisplay(context) ? "browser" : "device-or-browser";
  const offer = await withUnlocked(client, context, () => {
    return client.call("beginSignIn", { params: { name }, body: { method } });
  });
  printOffer(offer, name, context.terminal);
  const opensBrowser = !device && !skipBrowser && offer.callback_port !== undefined;
  const page = opensBrowser ? await openBrowserPrivately(offer.address, context.env) : undefined;
  return { offer, [Symbol.dispose]: () => page?.[Symbol.dispose]() };
}

export const status: CommandHandler<typeof AUTH_STATUS> = async (input, context) => {
  const [name] = input.positionals;
  const { terminal } = context;
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  const all =
    name === undefined
      ? (await client.call("listSignIns")).sign_ins
      : [await client.call("getSignIn", { params: { name } })];
  if (input.format === "json") {
    terminal.printJson(all);
    return;
  }
  if (all.length === 0) {
    terminal.info("No server is remote. Add one: thv run https://mcp.example.com/mcp");
    return;
  }
  const header = ["NAME", "STATE", "ISSUER", "SCOPES", "EXPIRES", "RENEWED", "KEPT IN"];
  printTable(
    { header, rows: all.map((status) => formatStatus(status, terminal)), spare: ["RENEWED", "SCOPES", "KEPT IN"] },
    terminal,
  );
  for (const { name: each, error } of all) {
    if (error) terminal.info([`${each}: ${error.message}`, error.hint].filter((text) => text !== undefined).join(" "));
  }
};

export const logout: CommandHandler<typeof AUTH_LOGOUT> = async (input, context) => {
  const [name] = input.positionals;
  const { terminal } = context;
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  const { revoked } = await withUnlocked(client, context, () => client.call("endSignIn", { params: { name } }));
  if (input.format === "json") {
    terminal.printJson({ name, revoked });
    return;
  }
  terminal.print(`Signed out of ${name}.`);
  if (!revoked)
    terminal.info("The authorization server did not revoke the tokens. They are forgotten, and end by themselves.");
};

/** Whether the user can see a browser that is opened here. */
function hasDisplay({ env }: CommandContext): boolean {
  return process.platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

function printOffer({ address, callback_port: port, user_code: code }: Offer, name: string, terminal: Terminal): void {
  if (code !== undefined) {
    terminal.info(`Please open this URL in any browser: ${address}`);
    terminal.info(`It asks for this code, or shows it: ${code}`);
    return;
  }
  terminal.info(`Please open this URL in your browser: ${address}`);
  if (port === undefined) return;
  terminal.info(
    `A browser on another machine needs a tunnel to port ${port} of this one: ssh -L ${port}:127.0.0.1:${port} USER@THIS-MACHINE. Without one, if the server offers it: thv auth login ${name} --device`,
  );
}

/** @throws {ThvError} What went wrong with the sign-in. */
export async function awaitSignIn(
  client: ApiClient,
  name: string,
  offer: Offer,
  context: CommandContext,
): Promise<Status> {
  using _progress = new Progress(context.terminal, "Waiting for the sign-in");
  for (;;) {
    await delay(POLL_MS, undefined, { signal: context.signal });
    const status = await client.call("getSignIn", { params: { name } });
    const { login } = status;
    if (login?.address !== offer.address) {
      throw new ThvError("UNAUTHENTICATED", `Another sign-in for ${name} was begun in place of this one.`, {
        hint: `See how it ended: thv auth status ${name}`,
      });
    }
    if (login.state === "done") return status;
    if (login.state === "failed" && login.error) {
      const { code, message, hint } = login.error;
      throw new ThvError(code as ErrorCode, message, { hint: hint ?? `Try again: thv auth login ${name}` });
    }
  }
}

/**
 * The server is asked with the new token at once. Until it has answered, a command that follows would find the workload as it was.
 *
 * @param before The workload before the sign-in.
 * @throws {ThvError} `UNAUTHENTICATED` when the server refuses the new token too.
 */
export async function awaitAcceptance(
  client: ApiClient,
  before: WorkloadView,
  context: CommandContext,
): Promise<WorkloadView | undefined> {
  const { name } = before;
  const timeout = startTimeout(ACCEPTANCE_TIMEOUT_MS);
  const signal = AbortSignal.any([context.signal, timeout]);
  const workload = await awaitStatus({
    client,
    name,
    doing: `Waiting for the server of ${name} to accept the sign-in`,
    until: (current) =>
      current?.status !== "starting" &&
      (current?.status !== "unauthenticated" || current.status_context !== before.status_context),
    context: { ...context, signal },
  }).catch(async (error: unknown) => {
    if (!timeout.aborted || context.signal.aborted) throw error;
    return await findWorkload(client, name);
  });
  if (workload?.status !== "unauthenticated") return workload;
  throw new ThvError("UNAUTHENTICATED", `The sign-in for ${name} succeeded, but its server still refuses the calls.`, {
    hint: `See what the server asks for: thv auth status ${name}`,
  });
}

function formatStatus(status: Status, terminal: Terminal): string[] {
  const stamp = (time: string | undefined) => (time === undefined ? NOTHING : formatTime(time, terminal));
  const {
    name,
    state,
    issuer = NOTHING,
    scopes,
    expires_at: ends,
    renewed_at: renewed,
    kept_in: kept = NOTHING,
  } = status;
  return [name, state, issuer, scopes.join(" ") || NOTHING, stamp(ends), stamp(renewed), kept];
}
