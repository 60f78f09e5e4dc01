/** Asks for a password that nobody knows yet: twice, so that a typing error locks nobody out. */
import { ThvError } from "@toolhive/core/errors";
import { askHidden } from "../../terminal/input.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Times a person may mistype. */
const ATTEMPTS = 3;

/** @throws {ThvError} `INVALID_ARGUMENT` when three attempts gave no password. */
export async function askNewPassword(terminal: Terminal): Promise<string> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const password = await askHidden(terminal, "New password");
    if (password === "") terminal.note("The password is empty. Try again.");
    else if (password === (await askHidden(terminal, "The same password again"))) return password;
    else terminal.note("The two are different. Try again.");
  }
  throw new ThvError("INVALID_ARGUMENT", "No password was chosen.");
}
