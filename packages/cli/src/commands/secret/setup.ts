/** `thv secret setup`, `thv secret provider`, `thv secret reset-keyring` */
import { hasCode, ThvError } from "@toolhive/core/errors";
import { PASSWORD_VARIABLE } from "@toolhive/core/password-length";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { askHidden, askOne, type Choice, readTextFile } from "../../terminal/input.ts";
import { printOutcome } from "../print-outcome.ts";
import { confirmLoss } from "../shared/questions/confirm.ts";
import type { SECRET_PROVIDER, SECRET_RESET_KEYRING, SECRET_SETUP } from "./definition.ts";
import { askNewPassword } from "./new-password.ts";

const PROVIDERS: readonly Choice[] = [
  { value: "encrypted", label: "encrypted", hint: "a file on this machine that only a password opens" },
  { value: "1password", label: "1password", hint: "read from 1Password with a service account" },
  { value: "none", label: "none", hint: "no secrets" },
];

/** Times a person may mistype. */
const ATTEMPTS = 3;

export const setup: CommandHandler<typeof SECRET_SETUP> = async (input, context) => {
  if (!context.terminal.canAsk) {
    throw new ThvError("USAGE", "thv secret setup asks questions, and this is not a terminal.", {
      hint: "Name the provider instead: thv secret provider encrypted",
    });
  }
  const choice = await askOne(context.terminal, "Where should secrets be kept?", PROVIDERS);
  await use(choice, input, context);
};

export const provider: CommandHandler<typeof SECRET_PROVIDER> = async (input, context) => {
  await use(input.positionals[0], input, context);
};

export const resetKeyring: CommandHandler<typeof SECRET_RESET_KEYRING> = async (input, context) => {
  const loss = {
    what: "thv secret reset-keyring asks first, and this is not a terminal.",
    question: "Forget the password? Afterwards only someone who knows it can read the secrets.",
    command: "thv secret reset-keyring --yes",
  };
  await confirmLoss(loss, input.yes, context);
  const { had } = await (await connectSupervisor(context)).call("forgetSecretsPassword");
  const line = had ? "The password is forgotten." : "No password was kept.";
  printOutcome(input, context, { status: had ? "forgotten" : "not found" }, line);
};

async function use(
  type: string,
  input: Omit<Input<typeof SECRET_SETUP>, "positionals">,
  context: CommandContext,
): Promise<void> {
  const { terminal, env } = context;
  const passwordFile = input.passwordFile;
  const client = await connectSupervisor(context);
  const given = passwordFile === undefined ? undefined : await readTextFile(passwordFile, terminal);
  if (given === "") throw new ThvError("INVALID_ARGUMENT", "The password is empty.");
  const attempt = async (password: string | undefined) =>
    await client.call("setupSecrets", { body: { provider_type: type, ...(password !== undefined && { password }) } });
  const known = given ?? (type === "encrypted" ? env[PASSWORD_VARIABLE] || undefined : undefined);
  try {
    await attempt(known);
  } catch (error) {
    const needsPassword = hasCode(error, "SECRETS_NO_KEYRING", "SECRETS_LOCKED", "SECRETS_WRONG_PASSWORD");
    if (!needsPassword || known !== undefined || !terminal.canAsk) throw error;
    if (error.code === "SECRETS_NO_KEYRING") {
      terminal.info(
        "This system has no keyring, so you choose the password. Without it, the secrets cannot be read again.",
      );
      await attempt(await askNewPassword(terminal));
    } else await askKnownPassword(context, attempt);
  }
  if (input.format === "json") terminal.printJson(await client.call("getSecretsProvider"));
  else terminal.print(`Secrets are kept by the provider "${type}".`);
  if (type === "1password") terminal.info("It can be read, not written: change secrets in 1Password itself.");
}

async function askKnownPassword({ terminal }: CommandContext, attempt: (password: string) => Promise<unknown>) {
  for (let count = 1; ; count += 1) {
    try {
      await attempt(await askHidden(terminal, "Password of the encrypted secrets"));
      return;
    } catch (error) {
      if (!hasCode(error, "SECRETS_WRONG_PASSWORD") || count === ATTEMPTS) throw error;
      terminal.info("That is not the password. Try again.");
    }
  }
}
