/** A first project file from the settings of an MCP client, whatever its format and place for servers. */
import { type FoundServer, findServers } from "../client-import/find-servers.ts";
import type { ImportedSecret } from "../client-import/imported-entry.ts";
import { readEntry } from "../client-import/read-entry.ts";
import { readClientText } from "../client-import/read-text.ts";
import { formatServerName } from "../client-import/server-name.ts";
import { parsePackageTarget } from "../images/package-target.ts";
import { readCommand } from "../pasted/read-command.ts";
import { nameServer, type Pasted, type PastedProblem, readPasted } from "../pasted/read-pasted.ts";
import { describeError, ThvError } from "../support/errors.ts";
import { listSentences } from "../support/located-problem.ts";
import { findNameProblem } from "../workload/workload-name.ts";
import { formatFile } from "./format-project.ts";
import { MAX_PROJECT_SERVERS, type ProjectEntry } from "./project-schema.ts";
import { readProject } from "./read-project.ts";

export interface ImportedProject {
  /** The whole file. */
  readonly text: string;
  readonly servers: readonly string[];
  readonly secrets: readonly (ImportedSecret & { readonly server: string })[];
  /** What is not in the file, each with half a sentence that says why. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** What the user has to check, each a sentence without a full stop. */
  readonly notes: readonly { readonly name: string; readonly note: string }[];
}

/**
 * @param path Of the settings, for messages; a text whose name does not say what it is may be a command or a link, too.
 * @param target Of the file to be.
 * @throws {ThvError} `INVALID_ARGUMENT` when nothing can be imported. No value is repeated.
 */
export function importClientFile(text: string, path: string, target: string): ImportedProject {
  const { servers, problems } = readServers(text, path);
  return importServers(servers, problems, path, target);
}

/**
 * @param words Of a command that starts a server, or adds one to a client: `docker run …`, `claude mcp add …`.
 * @throws {ThvError} As `importClientFile`.
 */
export function importCommand(words: readonly string[], target: string): ImportedProject {
  const read = readCommand(words);
  const what = "The command";
  if ("problem" in read)
    throw new ThvError("INVALID_ARGUMENT", `${what} cannot be used: ${read.problem}.`, { hint: FORMS });
  return importServers(read, [], what, target);
}

function importServers(
  found: readonly FoundServer[],
  problems: readonly PastedProblem[],
  path: string,
  target: string,
): ImportedProject {
  if (found.length > MAX_PROJECT_SERVERS) {
    throw new ThvError(
      "INVALID_ARGUMENT",
      `${path} names ${found.length} servers, and a file has at most ${MAX_PROJECT_SERVERS}.`,
    );
  }
  const entries = new Map<string, ProjectEntry>();
  const secrets: (ImportedSecret & { server: string })[] = [];
  const skipped = problems.map(({ name = "A line", reason }) => ({ name, reason }));
  const notes: { name: string; note: string }[] = [];
  for (const server of found) {
    const { settings, inputs, off } = server;
    const given = nameServer(server);
    const name = chooseName(given, entries);
    const imported = off === undefined ? readEntry(name, settings, inputs) : { reason: off };
    const reason = "reason" in imported ? imported.reason : findMistake(name, imported.entry, target);
    if (reason !== undefined) skipped.push({ name: given.slice(0, 100), reason });
    else if ("entry" in imported) {
      entries.set(name, imported.entry);
      secrets.push(
        ...imported.secrets.map(({ name: secret, target: of }) => ({ name: secret, target: of, server: name })),
      );
      notes.push(...imported.notes.map((note) => ({ name, note })));
    }
  }
  if (entries.size === 0) {
    const reasons = groupSkipped(skipped)
      .map(({ names, reason }) => `${names.join(", ")}: ${reason}`)
      .join("; ");
    throw new ThvError("INVALID_ARGUMENT", `${path} has no server that can be imported. ${reasons}`.trim(), {
      hint: "Write the file by hand: thv docs project file",
    });
  }
  return {
    text: formatFile({ servers: Object.fromEntries(entries) }),
    servers: [...entries.keys()],
    secrets,
    skipped,
    notes,
  };
}

/** Servers that are left out for one reason, in the order in which the first of each was found. */
export function groupSkipped(
  skipped: ImportedProject["skipped"],
): { readonly names: readonly string[]; readonly reason: string }[] {
  const byReason = new Map<string, string[]>();
  for (const { name, reason } of skipped) byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  return [...byReason].map(([reason, names]) => ({ names, reason }));
}

/** Endings of files in which clients keep servers, and the beginning of JSON. */
const SETTINGS_FILE = /\.(?:jsonc?|toml|ya?ml)$/i;
const FILE_HINT = "Name the file in which a client keeps its MCP servers, such as .vscode/mcp.json";
const FORMS = "Give a command such as: thv import -- docker run -i --rm IMAGE";

function readServers(text: string, path: string): Pick<Pasted, "servers" | "problems"> {
  const refuse = (reason: string, hint: string) =>
    new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${reason}.`, { hint });
  if (!SETTINGS_FILE.test(path) && !/^\s*[{"]/.test(text)) {
    const pasted = readPasted(text, { readText: (block) => readClientText(block, "") });
    if (pasted === undefined) throw refuse("it is empty", FILE_HINT);
    const [first] = pasted.problems;
    if (pasted.servers.length === 0 && first)
      throw refuse(first.reason, pasted.form === "settings" ? FILE_HINT : FORMS);
    return pasted;
  }
  let settings: unknown;
  try {
    settings = readClientText(text, path);
  } catch (error) {
    // A text of a million brackets ends the parser in another way.
    throw refuse(error instanceof RangeError ? "it is too deep" : describeError(error), FILE_HINT);
  }
  const servers = findServers(settings);
  if (servers) return { servers, problems: [] };
  throw refuse('it has neither "mcpServers" nor another member in which a client keeps servers', FILE_HINT);
}

function chooseName(given: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = formatServerName(given).slice(0, 90);
  const base = findNameProblem(plain) === undefined ? plain : `server-${plain}`.replace(/-$/, "");
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Only what can be read again is written. */
function findMistake(name: string, entry: ProjectEntry, target: string): string | undefined {
  try {
    readProject(formatFile({ servers: { [name]: entry } }), target);
    parsePackageTarget(entry.run);
    return undefined;
  } catch (error) {
    const problems = error instanceof ThvError ? listSentences(error.problems) : [];
    return problems.length > 0 ? problems.join("; ") : describeError(error);
  }
}
