/** A first project file from the settings of an MCP client, whatever its format and place for servers. */
import { type FoundServer, findServers } from "../client-import/find-servers.ts";
import type { ImportedSecret } from "../client-import/imported-entry.ts";
import { readEntry } from "../client-import/read-entry.ts";
import { readClientText } from "../client-import/read-text.ts";
import { formatServerName } from "../client-import/server-name.ts";
import { parsePackageTarget } from "../images/package-target.ts";
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
 * @param path Of the settings, for messages. @param target Of the file to be.
 * @throws {ThvError} `INVALID_ARGUMENT` when nothing can be imported. No value is repeated.
 */
export function importClientFile(text: string, path: string, target: string): ImportedProject {
  const found = readServers(text, path);
  if (found.length > MAX_PROJECT_SERVERS) {
    throw new ThvError(
      "INVALID_ARGUMENT",
      `${path} names ${found.length} servers, and a file has at most ${MAX_PROJECT_SERVERS}.`,
    );
  }
  const entries = new Map<string, ProjectEntry>();
  const secrets: (ImportedSecret & { server: string })[] = [];
  const skipped: { name: string; reason: string }[] = [];
  const notes: { name: string; note: string }[] = [];
  for (const { name: given, settings, inputs, off } of found) {
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
    const reasons = skipped.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
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

function readServers(text: string, path: string): readonly FoundServer[] {
  let settings: unknown;
  try {
    settings = readClientText(text, path);
  } catch (error) {
    // A text of a million brackets ends the parser in another way.
    const reason = error instanceof RangeError ? "it is too deep" : describeError(error);
    throw new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${reason}.`, {
      hint: "Name the file in which a client keeps its MCP servers, such as .vscode/mcp.json",
    });
  }
  const servers = findServers(settings);
  if (servers) return servers;
  throw new ThvError(
    "INVALID_ARGUMENT",
    `${path} cannot be used: it has neither "mcpServers" nor another member in which a client keeps servers.`,
    {
      hint: "Name the file in which a client keeps its MCP servers, such as .vscode/mcp.json",
    },
  );
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
