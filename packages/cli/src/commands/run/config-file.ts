/** `thv run --from-config`: a file of `thv export`, with flags that go before what it says. */
import { mergeRequest } from "@toolhive/core/merge-request";
import type { CommandContext } from "../../command-line/command.ts";
import { readTextFile } from "../../terminal/input.ts";
import type { RequestBody } from "./request-body.ts";

/** @param path `-` is standard input. @throws {ThvError} `INVALID_ARGUMENT` with every problem of the file. */
export async function readConfigFile(path: string, { terminal }: CommandContext): Promise<RequestBody> {
  const { parseExported } = await import("@toolhive/api/exported-workload");
  return parseExported(await readTextFile(path, terminal), path === "-" ? "Standard input" : path);
}

/**
 * A flag replaces what the file says; of variables, secrets, labels and limits, those of the same name. Under another name it is
 * another workload: the port in the file is that of the exported one, which may hold it, so that it does not count.
 */
export function withFlags(file: RequestBody, flags: Omit<RequestBody, "image">): RequestBody {
  const { proxy_port, ...portless } = file;
  const isAnother = flags.name !== undefined && flags.name !== file.name;
  return mergeRequest(isAnother ? portless : file, flags);
}
