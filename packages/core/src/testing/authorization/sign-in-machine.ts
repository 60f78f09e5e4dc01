/** A machine on which people sign in at a real authorization server, and the requests that use what they were given. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { RemoteAuthorization } from "../../ports/remote-authorization.ts";
import type { RemoteSignIn } from "../../remote/remote-schema.ts";
import { RemoteSignIns } from "../../remote-auth/remote-sign-ins.ts";
import type { Clocks } from "../../remote-auth/token-life.ts";
import { SecretManager } from "../../secrets/secret-manager.ts";
import type { ReservedSecrets } from "../../secrets/secret-provider.ts";
import { startTimeout } from "../../support/timeout-signal.ts";
import { AuthorizationServer, type AuthorizationServerChoices } from "./authorization-server.ts";
import { enterUserCode, signInWithBrowser } from "./person.ts";
import { ProtectedServer } from "./protected-server.ts";

export const NAME = "calendar";
export const PASSWORD = "a good password";
export const SIGN_IN = "Sign in: thv auth login calendar";
const quiet = () => undefined;

interface Process {
  readonly env?: Readonly<Record<string, string>>;
  readonly clocks?: Clocks;
  readonly wrap?: (reserved: ReservedSecrets) => ReservedSecrets;
  readonly send?: typeof fetch;
}

/** One machine, with an authorization server and a server that it protects. */
export class Machine implements AsyncDisposable {
  readonly #toClose: AsyncDisposable[] = [];
  readonly home: string;

  private constructor(home: string) {
    this.home = home;
  }

  static async start(): Promise<Machine> {
    return new Machine(await mkdtemp(join(tmpdir(), "sign-ins-")));
  }

  /** One supervisor process. */
  boot({ env = { TOOLHIVE_SECRETS_PASSWORD: PASSWORD }, clocks, wrap = (each) => each, send }: Process = {}) {
    const warnings: string[] = [];
    const log = {
      error: quiet,
      info: quiet,
      debug: quiet,
      warn: (fields: object, message: string) => warnings.push(`${message} ${JSON.stringify(fields)}`),
    };
    const secrets = new SecretManager({
      settings: { read: async () => ({ providerType: "encrypted", isSetUp: true }), save: async () => undefined },
      dataDirectory: this.home,
      env,
      log,
      openKeyring: async () => ({ unavailable: "there is none" }),
      cost: { log2N: 1, r: 1, p: 1 },
    });
    const reserved = wrap(secrets.reserved);
    const readSecret = (name: string) => secrets.read(name);
    const options = { reserved, readSecret, stateDirectory: this.home, log, clocks, send, pollMs: 50, restMs: 0 };
    const signIns = new RemoteSignIns(options);
    this.#toClose.push(signIns);
    return { secrets, signIns, warnings };
  }

  async startWorld(choices: AuthorizationServerChoices = {}) {
    const issuer = await AuthorizationServer.start(choices);
    const server = await ProtectedServer.start(issuer);
    this.#toClose.push(issuer, server);
    return { issuer, server };
  }

  /** What a killed process leaves: its lock, with an id that no process has. */
  async leaveDeadLock(): Promise<void> {
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    await writeFile(join(this.home, "grants", `${NAME}.lock`), String(gone));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#toClose.splice(0).reverse()) await each[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true });
  }
}

export const patience = () => startTimeout(20_000);

async function waitUntilDone(signIns: RemoteSignIns): Promise<void> {
  for (;;) {
    const progress = signIns.describe(NAME)?.progress;
    if (progress?.state === "done") return;
    if (progress?.state === "failed") throw new Error(progress.error?.message);
    await delay(10);
  }
}

export type SignInKind = "authorization_code" | "device_code";

export async function signIn(
  signIns: RemoteSignIns,
  server: ProtectedServer,
  kind: SignInKind,
  options: RemoteSignIn = {},
) {
  const grant = await signIns.open({ name: NAME, url: server.url, signIn: { callback_port: 0, ...options } });
  await signInAgain(signIns, kind);
  // Before it, the server was asked whether anybody has to.
  server.statuses.length = 0;
  return grant;
}

export async function signInAgain(signIns: RemoteSignIns, kind: SignInKind): Promise<void> {
  const offer = await signIns.begin(NAME, kind === "device_code" ? "device" : "browser");
  if (kind === "device_code") expect(await enterUserCode(offer.address)).toContain("Sign-in Success");
  else expect(await signInWithBrowser(offer.address)).toBe("You are signed in. This page can be closed.\n");
  await waitUntilDone(signIns);
}

/** A request as the endpoint sends it: once more when the grant says so. */
export async function call(grant: RemoteAuthorization, server: ProtectedServer, text = "ping"): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const authorization = await grant.authorize(patience());
    const response = await fetch(server.url, {
      method: "POST",
      body: text,
      headers: authorization === undefined ? {} : { authorization },
    });
    await response.body?.cancel();
    const { status } = response;
    if ((status !== 401 && status !== 403) || attempt === 2) return status;
    const wwwAuthenticate = response.headers.get("www-authenticate") ?? undefined;
    const again = await grant.onRefused({ status, wwwAuthenticate, usedAuthorization: authorization }, patience());
    if (!again) return status;
  }
}

/** Waits for what may take a renewal, and lets the grant do it by itself. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`);
    await delay(10);
  }
}
