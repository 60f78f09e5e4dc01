/** `thv config get-engine`, `set-engine` */
import { resolveHome } from "@toolhive/core/directories";
import { describeError } from "@toolhive/core/errors";
import { discoverEngine, formatAddress, parseEngineAddress } from "@toolhive/engine";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { printOutcome } from "../print-outcome.ts";
import { openConfig } from "../shared/open-registry.ts";
import type { CONFIG_GET_ENGINE, CONFIG_SET_ENGINE } from "./definition.ts";

const AUTO = "auto";
const SEARCHED = "No engine is configured; thv searches for one. See which: thv doctor";

export const getEngine: CommandHandler<typeof CONFIG_GET_ENGINE> = async (input, context) => {
  const { engine = "" } = await openConfig(context).load();
  if (input.format === "json") context.terminal.printJson({ engine });
  else if (engine === "") context.terminal.info(SEARCHED);
  else context.terminal.print(engine);
};

export const setEngine: CommandHandler<typeof CONFIG_SET_ENGINE> = async (input, context) => {
  const [address] = input.positionals;
  const config = openConfig(context);
  if (address === AUTO) {
    await config.update(({ engine: _, ...others }) => others);
    printOutcome(input, context, { engine: "" }, "thv searches for a container engine again.");
    return;
  }
  const where = formatAddress(parseEngineAddress(address, { origin: "ADDRESS" }));
  await config.update((current) => ({ ...current, engine: address }));
  printOutcome(input, context, { engine: address }, `The container engine is ${where}.`);
  await warnUnlessItAnswers(address, context);
};

/** A mistake shows now, and an engine that is only stopped may be chosen all the same. */
async function warnUnlessItAnswers(configured: string, { env, signal, terminal }: CommandContext): Promise<void> {
  try {
    // Our own variables go before the settings, so they must not answer here.
    const { TOOLHIVE_PODMAN_SOCKET: _podman, TOOLHIVE_DOCKER_SOCKET: _docker, ...others } = env;
    await discoverEngine({ env: others, home: resolveHome(env), configured, signal });
  } catch (error) {
    signal.throwIfAborted();
    terminal.info(`${terminal.err("yellow", "Warning:")} ${describeError(error)}`);
  }
}
