/** `thv registry convert` */
import { atomicWrite, convertRegistry, ThvError } from "@toolhive/core";
import { describeJsonFault } from "@toolhive/core/json-fault";
import type { CommandHandler } from "../../command-line/command.ts";
import { readTextFile } from "../../terminal/input.ts";
import type { REGISTRY_CONVERT } from "./definition.ts";

/** Bytes of a registry; the largest that can be set has as many. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Lines about lost settings. */
const MAX_SHOWN = 50;

export const registryConvert: CommandHandler<typeof REGISTRY_CONVERT> = async (input, { terminal }) => {
  const from = input.in === "-" ? "on standard input" : input.in;
  const text = await readTextFile(input.in, terminal, MAX_BYTES);
  const { value, registry, losses } = convertRegistry(parse(text, from), input.to, from);
  const written = JSON.stringify(value, null, 2);
  if (input.out === "-") terminal.print(written);
  else await atomicWrite(input.out, `${written}\n`, { mode: 0o644 });
  for (const { name, what } of losses.slice(0, MAX_SHOWN)) terminal.info(`Lost: ${name}: ${what}`);
  if (losses.length > MAX_SHOWN) terminal.info(`Lost: ${losses.length - MAX_SHOWN} more`);
  const count = registry.servers.length + registry.remoteServers.length;
  terminal.info(`Converted ${count} ${count === 1 ? "server" : "servers"}, with ${losses.length} losses.`);
};

function parse(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ThvError("REGISTRY_INVALID", `The registry ${from} is not JSON: ${describeJsonFault(text)}.`, {
      hint: "Give a file of one of the two formats with --in.",
      cause: error,
    });
  }
}
