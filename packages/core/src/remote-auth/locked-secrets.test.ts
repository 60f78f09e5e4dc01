import { describe, expect, test } from "vitest";
import { Machine, NAME, patience } from "../testing/authorization/sign-in-machine.ts";

describe("locked secrets", () => {
  async function lockedMachine(): Promise<Machine> {
    const machine = await Machine.start();
    await machine.boot().secrets.reserved.set("grant:other", "{}");
    return machine;
  }
  const url = new URL("https://mcp.example.com/mcp");

  test("keep no server waiting that has asked nobody to sign in", async () => {
    await using machine = await lockedMachine();
    const grant = await machine.boot({ env: {} }).signIns.open({ name: NAME, url, signIn: undefined });

    expect(await grant.authorize(patience())).toBeUndefined();
    expect(grant.describe()).toMatchObject({ state: "open" });
    expect(grant.describe().error).toBeUndefined();
  });

  test.each([
    ["is wanted from the beginning", { required: true }],
    ["has a client", { client_id: "me" }],
    ["has an issuer", { issuer: "https://id.example.com" }],
    ["is a stored token", { bearer_token: { name: "token" } }],
  ])("keep a server waiting whose sign-in %s", async (_what, signIn) => {
    await using machine = await lockedMachine();
    const grant = await machine.boot({ env: {} }).signIns.open({ name: NAME, url, signIn });

    await expect(grant.authorize(patience())).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
  });
});
