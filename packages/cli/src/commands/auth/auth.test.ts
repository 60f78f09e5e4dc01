/** `thv auth` with a certified authorization server, through the whole supervisor but its engine. */
import {
  AuthorizationServer,
  enterUserCode,
  ProtectedServer,
  signInWithBrowser,
} from "@toolhive/core/testing/authorization";
import { waitFor } from "@toolhive/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";
import { JSON_SAMPLES } from "../shared/json-samples.ts";

let context: ServedThv;
let issuer: AuthorizationServer;
let server: ProtectedServer;
const thv: ServedThv["call"] = (argv, options) => context.call(argv, options);

beforeEach(async () => {
  context = await ServedThv.start();
  issuer = await AuthorizationServer.start({ isStrict: true, tokenSeconds: 60 });
  server = await ProtectedServer.start(issuer);
  await thv(["run", "--name", "calendar", "--remote-auth", "--remote-auth-callback-port", "0", server.url.href]);
});
afterEach(async () => {
  for (const each of [context, server, issuer]) await each[Symbol.asyncDispose]();
});

type Running = ReturnType<ServedThv["begin"]>;

async function findAddress({ output }: Running): Promise<string> {
  const line = () => /Please open this URL in (?:your|any) browser: (http:\S+)\n/.exec(output.stderr)?.[1];
  return await waitFor(line, { what: "the address to sign in at" });
}

async function readStatus(): Promise<Record<string, unknown>> {
  const { stdout } = await thv(["auth", "status", "calendar", "--format", "json"]);
  return (JSON.parse(stdout) as Record<string, unknown>[])[0] ?? {};
}

describe("auth login", () => {
  test("prints the address and how to reach it, waits for the browser, and signs in", async () => {
    expect(await readStatus()).toMatchObject({ name: "calendar", state: "unauthenticated", kind: "none", scopes: [] });
    await using running = context.begin(["auth", "login", "calendar", "--skip-browser"], { env: { DISPLAY: ":0" } });

    const address = await findAddress(running);
    const { port } = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
    await signInWithBrowser(address);

    expect(await running.done).toBe(0);
    expect(running.output.stdout).toBe(`Signed in at ${issuer.issuer} for calendar.\n`);
    expect(running.output.stderr).toContain(`ssh -L ${port}:127.0.0.1:${port} `);
    expect(await readStatus()).toMatchObject({
      state: "valid",
      kind: "authorization_code",
      issuer: issuer.issuer,
      renewable: true,
    });
  });

  test.each([
    ["--device", ["--device"]],
    ["a machine without a display", []],
  ])("with %s takes a code that is entered elsewhere", async (_what, flags) => {
    await using running = context.begin(["auth", "login", "calendar", ...flags]);

    await enterUserCode(await findAddress(running));

    expect(await running.done).toBe(0);
    expect(running.output.stderr).toMatch(/It asks for this code, or shows it: [A-Z]{4}-[A-Z]{4}\n/);
    expect(await readStatus()).toMatchObject({ state: "valid", kind: "device_code" });
  });

  test("says why it failed, and of a workload without a remote server that nobody signs in", async () => {
    await using running = context.begin(["auth", "login", "calendar"], { env: { DISPLAY: ":0", PATH: "" } });
    const back = new URL(await findAddress(running));
    const refused = new URL(back.searchParams.get("redirect_uri") ?? "");
    refused.search = `?error=access_denied&state=${back.searchParams.get("state")}`;
    await fetch(refused);

    expect(await running.done).toBe(15);
    expect(running.output.stderr).toContain("Signing in was refused: access_denied");
    expect((await thv(["status", "calendar"])).stdout).toMatch(/Sign-in: +Signing in was refused: access_denied/);
    expect(JSON.parse((await thv(["status", "calendar", "--format", "json"])).stdout)).toMatchObject({
      sign_in: { login: { state: "failed", error: { code: "UNAUTHENTICATED" } } },
    });
    expect(await thv(["auth", "login", "absent"])).toMatchObject({ code: 3 });
  });
});

describe("auth status and logout", () => {
  test("show no token, and forget the sign-in", async () => {
    await using running = context.begin(["auth", "login", "calendar", "--device"]);
    await enterUserCode(await findAddress(running));
    await running.done;

    const shown = await thv(["auth", "status"]);
    const asJson = JSON.stringify(await readStatus());
    const ended = await thv(["auth", "logout", "calendar"]);

    expect(shown.stdout).toMatch(/^NAME +STATE +ISSUER +SCOPES.*\ncalendar +valid +http/);
    expect(issuer.givenTokens.length).toBeGreaterThan(1);
    for (const token of issuer.givenTokens) expect(shown.stdout + shown.stderr + asJson).not.toContain(token);
    expect(ended).toEqual({ code: 0, stdout: "Signed out of calendar.\n", stderr: "" });
    expect(await readStatus()).toMatchObject({ state: "unauthenticated", kind: "none" });
    expect((await thv(["auth", "status", "calendar"])).stderr).toContain("Sign in: thv auth login calendar");
  });

  test("print as JSON what the reference shows", async () => {
    await using running = context.begin(["auth", "login", "calendar", "--device", "--format", "json"]);
    await enterUserCode(await findAddress(running));
    await running.done;
    const shown = await readStatus();
    const ended = await thv(["auth", "logout", "calendar", "--format", "json"]);

    const signIn = JSON_SAMPLES["auth login"];
    const printed = JSON.parse(running.output.stdout) as object;
    expect(Object.keys(signIn?.value as object)).toEqual(expect.arrayContaining(Object.keys(printed)));
    const missing = Object.keys(signIn?.value as object).filter((member) => !(member in printed));
    expect(signIn?.optional).toEqual(expect.arrayContaining(missing));
    expect(Object.keys(shown)).toEqual(Object.keys(printed));
    expect(JSON.parse(ended.stdout)).toEqual(JSON_SAMPLES["auth logout"]?.value);
  });

  test("of no remote server at all say how to add one", async () => {
    await thv(["rm", "calendar"]);

    const { stdout, stderr } = await thv(["auth", "status"]);

    expect([stdout, stderr]).toEqual(["", expect.stringContaining("thv run https://")]);
  });
});
