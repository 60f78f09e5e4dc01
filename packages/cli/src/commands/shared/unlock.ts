/** Does something with secrets; when they turn out to be locked, gets their password and does it again. */
import type { ApiClient } from "@toolhive/api/client";
import { hasCode } from "@toolhive/core/errors";
import { PASSWORD_VARIABLE } from "@toolhive/core/password-length";
import type { CommandContext } from "../../command-line/command.ts";
import { askHidden } from "../../terminal/input.ts";

/** Times a person may mistype. */
const ATTEMPTS = 3;

/** @throws {ThvError} `SECRETS_LOCKED` when the password cannot be asked for, `SECRETS_WRONG_PASSWORD`. */
export async function withUnlocked<T>(client: ApiClient, context: CommandContext, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!hasCode(error, "SECRETS_LOCKED")) throw error;
    await unlock(client, context, error);
    return await act();
  }
}

async function unlock(client: ApiClient, { env, terminal }: CommandContext, locked: unknown): Promise<void> {
  const known = env[PASSWORD_VARIABLE];
  if (known) {
    // The supervisor may have been started where the variable was not set.
    await client.call("unlockSecrets", { body: { password: known } });
    return;
  }
  if (!terminal.canAsk) throw locked;
  for (let attempt = 1; ; attempt += 1) {
    const password = await askHidden(terminal, "Password of the encrypted secrets");
    try {
      await client.call("unlockSecrets", { body: { password } });
      return;
    } catch (error) {
      if (!hasCode(error, "SECRETS_WRONG_PASSWORD") || attempt === ATTEMPTS) throw error;
      terminal.info("That is not the password. Try again.");
    }
  }
}
