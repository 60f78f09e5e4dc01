import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runThv, ThrowawayHome } from "@toolhive/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasSecretService, startSessionBus, storedPassword, unlockKeyring } from "../src/testing/secret-service.ts";

const VALUE = "tok-7f3a-plain";

describe.runIf(hasSecretService())(
  "secrets with the keyring of a desktop (needs dbus, gnome-keyring, libsecret-tools)",
  () => {
    let home: ThrowawayHome;
    let session: { DBUS_SESSION_BUS_ADDRESS: string };

    beforeEach(async () => {
      home = await ThrowawayHome.create();
      session = await startSessionBus(home);
    });
    afterEach(async () => {
      await home[Symbol.asyncDispose]();
    });

    const thv = (args: readonly string[], input?: string) => runThv(args, { home, env: session, input });

    test("are sealed with a password that only the keyring has, and open for the next supervisor", async () => {
      await unlockKeyring(home, session);

      const setUp = await thv(["secret", "provider", "encrypted"]);
      await thv(["secret", "set", "token"], VALUE);
      await home.stopSupervisor();
      const read = await thv(["secret", "get", "token"]);

      expect(setUp).toMatchObject({ code: 0 });
      expect(read).toMatchObject({ code: 0, stdout: `${VALUE}\n` });
      const password = await storedPassword(home, session);
      expect(password).toMatch(/^[\w-]{43}$/);
      for (const hidden of [password, VALUE]) expect(await readContent(home.path)).not.toContain(hidden);
    });

    test("stay sealed once the keyring has forgotten the password, until a person enters it again", async () => {
      await unlockKeyring(home, session);
      await thv(["secret", "provider", "encrypted"]);
      await thv(["secret", "set", "token"], VALUE);
      const password = await storedPassword(home, session);

      const reset = await thv(["secret", "reset-keyring", "--yes"]);

      expect([reset.code, await storedPassword(home, session)]).toEqual([0, ""]);
      expect(await thv(["secret", "get", "token"])).toMatchObject({
        code: 5,
        stderr: expect.stringContaining("The secrets are locked"),
      });
      await home.stopSupervisor();
      const env = { ...session, TOOLHIVE_SECRETS_PASSWORD: password };
      expect(await runThv(["secret", "get", "token"], { home, env })).toMatchObject({ stdout: `${VALUE}\n` });
    });

    test("are not sealed with a password that a keyring nobody has opened would lose", async () => {
      const { code, stderr } = await thv(["secret", "provider", "encrypted"]);

      expect([code, stderr]).toEqual([5, expect.stringContaining("OS keyring does not keep a password")]);
      expect(await thv(["secret", "list"])).toMatchObject({
        code: 5,
        stderr: expect.stringContaining("No secrets provider is set up."),
      });
    });
  },
);

/** Every file below the folder, as text. */
async function readContent(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}
