/** The command of a server's instructions behind `thv run`, which takes the server itself: the same server in the words of thv. */
import { ThvError } from "@toolhive/core/errors";
import { toRunFlags } from "@toolhive/core/run-flags";
import { quoteWord } from "@toolhive/http/values";
import type { RunInput } from "./definition.ts";

/** Programs that start a server, or add one to a client. */
const LAUNCHERS = /^(?:npx|bunx|pnpm|npm|yarn|uvx|uv|pipx|go|docker|podman|nerdctl|claude|codex|gemini)$/;

/** @throws {ThvError} `USAGE` with the command to run in its place. */
export async function refusePastedCommand({ positionals: [server], rest, fromConfig }: RunInput): Promise<void> {
  const words = server === undefined ? rest : [server, ...rest];
  const [program = ""] = words;
  if (fromConfig !== undefined || rest.length === 0 || !LAUNCHERS.test(program)) return;
  throw new ThvError("USAGE", `thv run takes the server itself, not the command ${program} that starts it.`, {
    hint: (await findCommand(words)) ?? "Write a project file from it: thv import -- COMMAND",
  });
}

async function findCommand(words: readonly string[]): Promise<string | undefined> {
  const { importCommand, readProject } = await import("@toolhive/core");
  try {
    const path = "/thv.yaml";
    const [found] = readProject(importCommand(words, path).text, path).servers;
    if (found === undefined) return undefined;
    const { labels: _labels, ...request } = found.request;
    const args = request.cmd_arguments ?? [];
    const line = ["thv", "run", ...toRunFlags(request), request.image, ...(args.length > 0 ? ["--", ...args] : [])];
    return `Run: ${line.map(quoteWord).join(" ")}`;
  } catch (error) {
    if (error instanceof ThvError) return undefined;
    throw error;
  }
}
