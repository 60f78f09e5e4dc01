/** The flags of a remote server as members of a create request; what is secret goes into the secret store, and its name into the request. */
import type { ApiClient, OperationInput } from "@toolhive/api/client";
import { hasCode, ThvError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { CommandContext } from "../../command-line/command.ts";
import { readTextFile } from "../../terminal/input.ts";
import type { WorkloadView } from "../shared/await-status.ts";
import { readHeaderFlags } from "../shared/flags/remote-flags.ts";
import { withUnlocked } from "../shared/unlock.ts";
import type { RunInput } from "./definition.ts";
import { forgetSecrets, type StoredSecrets } from "./registry-variables.ts";

type Body = OperationInput<"createWorkload">["body"];
type Members = Pick<Body, "header_forward">;

/** The variable that `thv proxy` reads, too. */
const SECRET_VARIABLE = "TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET";
/** Names that are tried for a new secret. */
const MAX_NAMES = 50;

/** The headers that flags name. Of its secrets, it only says where one is given twice. */
export function readRemote(input: RunInput, problems: string[]): Members {
  const secrets = (["remoteAuthClientSecret", "remoteAuthBearerToken"] as const).filter(
    (flag) => input[flag] !== undefined && input[`${flag}File`] !== undefined,
  );
  problems.push(...secrets.map((flag) => `${FLAG_NAMES[flag]} is given twice, by itself and as a file`));
  return readHeaderFlags(input, problems);
}

const FLAG_NAMES = {
  remoteAuthClientSecret: "--remote-auth-client-secret",
  remoteAuthBearerToken: "--remote-auth-bearer-token",
} as const;

export interface SignInChoices {
  readonly skipsBrowser?: boolean;
  /** Milliseconds to wait for the person. */
  readonly timeoutMs?: number;
}

/** cli.md 3.2: what a timeout of 0 or less means. */
const LONG_TIMEOUT_MS = 5 * 60_000;

export function readSignIn({ remoteAuthSkipBrowser, remoteAuthTimeout }: RunInput): SignInChoices {
  return {
    skipsBrowser: remoteAuthSkipBrowser,
    timeoutMs: remoteAuthTimeout > 0 ? remoteAuthTimeout : LONG_TIMEOUT_MS,
  };
}

/**
 * The server asks for a sign-in. Without a terminal, the command prints the address, and the workload waits.
 *
 * @throws {ThvError} `UNAUTHENTICATED` and others when there was a terminal and the sign-in failed; the workload stays and waits.
 */
export async function signInForRun(
  client: ApiClient,
  workload: WorkloadView,
  { skipsBrowser = false, timeoutMs = LONG_TIMEOUT_MS }: SignInChoices,
  context: CommandContext,
): Promise<WorkloadView> {
  const { name } = workload;
  const { terminal } = context;
  const isAttended = terminal.canAsk;
  const { awaitAcceptance, awaitSignIn, beginSignIn } = await import("../auth/auth.ts");
  const flags = { device: false, skipBrowser: skipsBrowser || !isAttended };
  using begun = await beginSignIn(client, name, flags, context).catch((error: unknown) => {
    // A token that is refused, for example: the workload's own status names the next step.
    if (isAttended) throw error;
    return undefined;
  });
  if (!isAttended || begun === undefined) return workload;
  const timeout = startTimeout(timeoutMs);
  const signal = AbortSignal.any([context.signal, timeout]);
  await awaitSignIn(client, name, begun.offer, { ...context, signal }).catch((error: unknown) => {
    if (!timeout.aborted) throw error;
    throw new ThvError("UNAUTHENTICATED", `Nobody signed in for "${name}" in time. It is kept, and waits for that.`, {
      hint: `Sign in: thv auth login ${name}`,
    });
  });
  terminal.info("Signed in.");
  return (await awaitAcceptance(client, workload, context)) ?? workload;
}

/** @returns The request, with the names of the secrets that were given by flag, file or variable. */
export async function storeSecrets(
  body: Body,
  input: RunInput,
  client: ApiClient,
  context: CommandContext,
): Promise<StoredSecrets> {
  const clientSecret = await readSecret(input, "remoteAuthClientSecret", context);
  const bearerToken = await readSecret(input, "remoteAuthBearerToken", context);
  const stored = new Map<string, string>();
  const store = async (what: string, value: string) => {
    const name = await storeOne(client, context, `${chooseName(body)}-${what}`, value);
    stored.set(name, what.replace("-", " "));
    return { name };
  };
  const oauth = {
    ...body.oauth_config,
    ...(clientSecret !== undefined && { client_secret: await store("client-secret", clientSecret) }),
    ...(bearerToken !== undefined && { bearer_token: await store("bearer-token", bearerToken) }),
  };
  return {
    body: Object.keys(oauth).length > 0 ? { ...body, oauth_config: oauth } : body,
    announce: () => {
      for (const [key, what] of stored) context.terminal.info(`The ${what} is stored as the secret ${key}.`);
    },
    forget: () => forgetSecrets([...stored.keys()], client, context),
  };
}

/** Of the workload as it will be called most likely. */
function chooseName({ name, image }: Body): string {
  return name ?? (URL.canParse(image) ? new URL(image).hostname.replace(/[^a-z0-9.-]/g, "") : "remote");
}

async function readSecret(
  input: RunInput,
  flag: "remoteAuthClientSecret" | "remoteAuthBearerToken",
  { env, terminal }: CommandContext,
): Promise<string | undefined> {
  const given = input[flag];
  if (given) return given;
  const file = input[`${flag}File`];
  if (file === undefined) {
    // Without a client id, the secret has no use.
    const isWanted = flag === "remoteAuthClientSecret" && input.remoteAuthClientId !== undefined;
    return (isWanted && env[SECRET_VARIABLE]) || undefined;
  }
  const text = (await readTextFile(file, terminal)).trim();
  if (text !== "") return text;
  throw new ThvError("INVALID_ARGUMENT", `${file} is empty but must contain the value for ${FLAG_NAMES[flag]}.`);
}

/** A secret of that name may be another workload's. */
async function storeOne(client: ApiClient, context: CommandContext, base: string, value: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? base : `${base}-${number}`;
    try {
      await withUnlocked(client, context, () => client.call("createSecret", { body: { key, value } }));
      return key;
    } catch (error) {
      if (!hasCode(error, "SECRET_EXISTS") || number >= MAX_NAMES) throw error;
    }
  }
}
