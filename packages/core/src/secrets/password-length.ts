/** How long a password has to be with which a store of secrets begins. One that a store has already may be shorter. */
import { ThvError } from "../support/errors.ts";

/** Environment variable with the password of the encrypted secrets. */
export const PASSWORD_VARIABLE = "TOOLHIVE_SECRETS_PASSWORD";

/** Unicode code points. The bound that NIST SP 800-63B sets for passwords that people choose. */
export const MIN_PASSWORD_LENGTH = 8;

/** @throws {ThvError} `INVALID_ARGUMENT`. The password itself is not in the message. */
export function assertLongEnough(password: string): void {
  const { length } = [...password];
  if (length >= MIN_PASSWORD_LENGTH) return;
  const characters = length === 1 ? "1 character" : `${length} characters`;
  throw new ThvError("INVALID_ARGUMENT", `The password has ${characters}, which is too short for a new one.`, {
    hint: `Choose one of at least ${MIN_PASSWORD_LENGTH} characters; several words are easy to remember.`,
  });
}
