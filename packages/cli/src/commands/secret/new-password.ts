/** Asks for a new password twice, so that a typing error locks nobody out. */
import { ThvError } from "@toolhive/core/errors";
import { assertLongEnough } from "@toolhive/core/password-length";
import { askHidden } from "../../terminal/input.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Times a person may mistype. */
const ATTEMPTS = 3;

/** @throws {ThvError} `INVALID_ARGUMENT` when three attempts gave no password. */
export async function askNewPassword(terminal: Terminal): Promise<string> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const password = await askHidden(terminal, "New password");
    const refusal = findRefusal(password);
    if (refusal !== undefined) terminal.info(refusal);
    else if (password === (await askHidden(terminal, "The same password again"))) return password;
    else terminal.info("The two are different. Try again.");
  }
  throw new ThvError("INVALID_ARGUMENT", "No password was chosen.");
}

/** Before the user types it a second time. The supervisor checks it again, also when a file contains it. */
function findRefusal(password: string): string | undefined {
  try {
    assertLongEnough(password);
    return undefined;
  } catch (error) {
    if (!(error instanceof ThvError)) throw error;
    return `${error.message} ${error.hint}`;
  }
}
