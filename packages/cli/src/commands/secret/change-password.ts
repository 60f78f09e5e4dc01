/** `thv secret change-password` */
import { hasCode, ThvError } from "@toolhive/core/errors";
import { PASSWORD_VARIABLE } from "@toolhive/core/password-length";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { askHidden, readTextFile } from "../../terminal/input.ts";
import { printOutcome } from "../print-outcome.ts";
import type { SECRET_CHANGE_PASSWORD } from "./definition.ts";
import { askNewPassword } from "./new-password.ts";

export const changePassword: CommandHandler<typeof SECRET_CHANGE_PASSWORD> = async (input, context) => {
  const { terminal, env } = context;
  assertUsable(input, context);
  const client = await connectSupervisor(context);
  const current = await readCurrent(input, context);
  const file = input.newPasswordFile;
  const wanted = file === undefined ? await askNewPassword(terminal) : await readTextFile(file, terminal);
  try {
    const body = { ...(current !== undefined && { current }), wanted };
    await client.call("changeSecretsPassword", { body });
  } catch (error) {
    if (!hasCode(error, "SECRETS_WRONG_PASSWORD")) throw error;
    throw new ThvError(error.code, "The current password does not decrypt the secrets.", {
      hint: "Nothing was changed. Try again with the password that encrypts them.",
    });
  }
  printOutcome(input, context, { status: "changed" }, "The password is changed.");
  if (env[PASSWORD_VARIABLE] && env[PASSWORD_VARIABLE] !== wanted) {
    terminal.info(`${PASSWORD_VARIABLE} still holds another password: change it where it is set.`);
  }
};

/** @throws {ThvError} `USAGE` when the flags contradict each other, or there is no terminal to ask for what they omit. */
function assertUsable(input: Input<typeof SECRET_CHANGE_PASSWORD>, { terminal }: CommandContext): void {
  const file = input.passwordFile;
  const newFile = input.newPasswordFile;
  const isFromKeyring = input.fromKeyring;
  if (file !== undefined && isFromKeyring) {
    throw new ThvError("USAGE", "--password-file and --from-keyring both give the current password.", {
      hint: "Leave one of them out.",
    });
  }
  if (file === "-" && newFile === "-") {
    throw new ThvError("USAGE", "--password-file and --new-password-file cannot both be standard input.", {
      hint: "Put one of the passwords into a file.",
    });
  }
  const isComplete = (file !== undefined || isFromKeyring) && newFile !== undefined;
  if (isComplete || terminal.canAsk) return;
  throw new ThvError("USAGE", "thv secret change-password asks for the passwords, and this is not a terminal.", {
    hint: "Give both in files: thv secret change-password --password-file OLD --new-password-file NEW",
  });
}

async function readCurrent(
  input: Input<typeof SECRET_CHANGE_PASSWORD>,
  { terminal }: CommandContext,
): Promise<string | undefined> {
  if (input.fromKeyring) return undefined;
  const file = input.passwordFile;
  const current =
    file === undefined ? await askHidden(terminal, "Present password") : await readTextFile(file, terminal);
  if (current === "") throw new ThvError("INVALID_ARGUMENT", "The current password is empty.");
  return current;
}
