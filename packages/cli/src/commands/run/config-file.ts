/** `thv run --from-config`: a file of `thv export`, with flags that go before what it says. */
import type { CommandContext } from "../../command-line/command.ts";
import { readTextFile } from "../../terminal/input.ts";
import type { RequestBody } from "./request-body.ts";

/** @param path `-` is standard input. @throws {ThvError} `INVALID_ARGUMENT` with every problem of the file. */
export async function readConfigFile(path: string, { terminal }: CommandContext): Promise<RequestBody> {
  const { parseExported } = await import("@toolhive/api/exported-workload");
  return parseExported(await readTextFile(path, terminal), path === "-" ? "Standard input" : path);
}

/**
 * A flag replaces what the file says; of variables, secrets and labels, those of the same key. Under another name it is
 * another workload: the port in the file is that of the exported one, which may hold it, so that it does not count.
 */
export function withFlags(file: RequestBody, flags: Omit<RequestBody, "image">): RequestBody {
  const { proxy_port, ...portless } = file;
  const isAnother = flags.name !== undefined && flags.name !== file.name;
  const variables = mergedBy(([key = ""]) => key, splitAll(file.env_vars), splitAll(flags.env_vars));
  const secrets = mergedBy(({ target }) => target, file.secrets, flags.secrets);
  return {
    ...(isAnother ? portless : file),
    ...flags,
    ...(variables.length > 0 && { env_vars: variables.map(([, item]) => item) }),
    ...(secrets.length > 0 && { secrets }),
    ...((file.labels || flags.labels) && { labels: { ...file.labels, ...flags.labels } }),
  };
}

function splitAll(items: readonly string[] = []): (readonly [key: string, item: string])[] {
  return items.map((item) => [item.split("=", 1)[0] ?? "", item]);
}

function mergedBy<T>(readKey: (item: T) => string, ...lists: readonly (readonly T[] | undefined)[]): T[] {
  return [...new Map(lists.flatMap((list = []) => list).map((item) => [readKey(item), item])).values()];
}
