/** `thv registry run-group`: the servers of one group of a registry become the servers of a group here. */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { describeError, type ErrorCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { findNearest } from "../../command-line/suggest.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { runRequest } from "../run/run.ts";
import type { REGISTRY_RUN_GROUP } from "./definition.ts";

type Group = OperationAnswer<"listCatalog">["groups"][number];

/** A server that does not start leaves the others running; the command can be repeated for those that are not there yet. */
export const registryRunGroup: CommandHandler<typeof REGISTRY_RUN_GROUP> = async (input, context) => {
  const [wanted] = input.positionals;
  const client = await connectSupervisor(context);
  const { name, references } = findGroup((await client.call("listCatalog")).groups, wanted);
  const group = input.group ?? name;
  await ensureGroup(group, client);
  const failed: { readonly reference: string; readonly error: unknown }[] = [];
  for (const reference of references) {
    try {
      const choices = { isAllowed: input.yes };
      await runRequest({ image: reference, group }, { format: "text", foreground: false }, context, choices);
    } catch (error) {
      if (context.signal.aborted) throw error;
      failed.push({ reference, error });
      reportFailure(reference, error, context);
    }
  }
  const [first] = failed;
  if (!first) {
    const count = references.length === 1 ? "The one server" : `All ${references.length} servers`;
    context.terminal.info(
      `${count} of ${showLine(name)} ${references.length === 1 ? "is" : "are"} in the group ${group}. See: thv group list`,
    );
    return;
  }
  const code: ErrorCode = first.error instanceof ThvError ? first.error.code : "INTERNAL";
  const names = failed.map(({ reference }) => reference).join(", ");
  throw new ThvError(code, `${failed.length} of ${references.length} servers were not started: ${names}`, {
    hint: `The others run. Start one by itself, with what it needs: thv run ${first.reference} --group ${group}`,
    cause: first.error,
  });
};

/** Of one name in several sources, the first; `source/name` is that of one source. @throws {ThvError} `REGISTRY_SERVER_NOT_FOUND`. */
function findGroup(groups: readonly Group[], wanted: string): Group {
  const found = groups.find(({ name, source }) => name === wanted || `${source}/${name}` === wanted);
  if (found) return found;
  const meant = findNearest(
    wanted,
    groups.map(({ name }) => name),
  );
  throw new ThvError("REGISTRY_SERVER_NOT_FOUND", `No registry has a group of servers named "${wanted}".`, {
    hint:
      meant === undefined
        ? "See them all: thv registry list --groups"
        : `Did you mean: thv registry run-group ${meant}`,
  });
}

async function ensureGroup(name: string, client: ApiClient): Promise<void> {
  const { groups } = await client.call("listGroups");
  if (!groups.some((group) => group.name === name))
    await client.call("createGroup", { body: { name, naming: "auto" } });
}

function reportFailure(reference: string, error: unknown, { terminal }: CommandContext): void {
  terminal.info(`${terminal.err("yellow", "Warning:")} ${reference}: ${describeError(error)}`);
  if (error instanceof ThvError && error.hint !== undefined) terminal.info(`Hint: ${error.hint}`);
}
