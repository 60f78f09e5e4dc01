/** `thv sidecar` */
import { describeError, ThvError } from "@toolhive/core/errors";
import { waitForAbort } from "@toolhive/core/until-aborted";
import { readSidecarSettings, runSidecar } from "@toolhive/sidecar";
import type { CommandHandler } from "../../command-line/command.ts";
import type { SIDECAR } from "./definition.ts";

export const run: CommandHandler<typeof SIDECAR> = async (_values, { signal, env }) => {
  await runSidecar(readSettings(env));
  await waitForAbort(signal);
};

/** @throws {ThvError} `CONFIG_INVALID`. */
function readSettings(env: Readonly<Record<string, string | undefined>>) {
  try {
    return readSidecarSettings(env);
  } catch (error) {
    throw new ThvError("CONFIG_INVALID", `The sidecar has no rules that it can read: ${describeError(error)}.`, {
      hint: "The operator starts it and passes the rules. To limit a server on this machine, use: thv run --isolate-network",
      cause: error,
    });
  }
}
