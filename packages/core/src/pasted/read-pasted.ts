/**
 * What somebody copies from the instructions of a server, as servers: a command line, a link, or the settings of a client. It is
 * read by `thv import`, by hints of `thv run` and by the application, and never run.
 */
import { isRecord, toRecord } from "@toolhive/http/values";
import type { FoundServer } from "../client-import/find-servers.ts";
import { readEntry } from "../client-import/read-entry.ts";
import { readClientJson } from "../client-import/read-json.ts";
import { describeError } from "../support/errors.ts";
import { findTextProblem, plainTypography } from "./check-text.ts";
import { nameAfterTarget } from "./name-pasted.ts";
import { readCommand, readExport } from "./read-command.ts";
import { readLink } from "./read-link.ts";
import { readSettings } from "./read-settings.ts";
import { parseShell } from "./shell-words.ts";

export interface Pasted {
  readonly form: "settings" | "link" | "command";
  readonly servers: readonly FoundServer[];
  readonly problems: readonly PastedProblem[];
}

/** What was left out. */
export interface PastedProblem {
  /** The beginning of a command; absent for the text itself. */
  readonly name?: string;
  /** Half a sentence. */
  readonly reason: string;
}

export interface ReadPastedOptions {
  /** Reads TOML and YAML, for which a browser loads more. Default: both are refused. */
  readonly readText?: ((text: string) => unknown) | undefined;
}

/** Blocks of one text. */
const MAX_BLOCKS = 50;
/** Servers of one text. */
const MAX_SERVERS = 100;
const FENCE = /^\s*(?:```|~~~)/;
/** What a shell shows before what somebody types. */
const PROMPT = /^\s*(?:PS [^>\n]{0,200}>|[A-Za-z]:\\[^>\n]{0,200}>|[$%❯➜>])\s+/;

/** @returns `undefined` for an empty text. */
export function readPasted(text: string, { readText }: ReadPastedOptions = {}): Pasted | undefined {
  const whole = (text.startsWith("\uFEFF") ? text.slice(1) : text).replaceAll("\r\n", "\n").trim();
  if (whole === "") return undefined;
  const problem = findTextProblem(whole);
  if (problem !== undefined) return { form: "command", servers: [], problems: [{ reason: problem }] };
  const read = splitBlocks(whole)
    .filter((block) => block !== "")
    .slice(0, MAX_BLOCKS)
    .map((block) => readBlock(block, readText));
  const servers = dropSame(read.flatMap((each) => each.servers)).slice(0, MAX_SERVERS);
  return { form: read[0]?.form ?? "command", servers, problems: read.flatMap((each) => each.problems) };
}

/** What is between fences, if the text has any; else all of it. */
function splitBlocks(text: string): string[] {
  const lines = text.split("\n");
  if (!lines.some((line) => FENCE.test(line))) return [stripBackquotes(text)];
  const blocks: string[] = [];
  let block: string[] | undefined;
  for (const line of lines) {
    if (!FENCE.test(line)) block?.push(line);
    else if (block === undefined) block = [];
    else {
      blocks.push(block.join("\n").trim());
      block = undefined;
    }
  }
  return [...blocks, ...(block === undefined ? [] : [block.join("\n").trim()])];
}

function stripBackquotes(text: string): string {
  const inner = text.slice(1, -1);
  return text.startsWith("`") && text.endsWith("`") && !inner.includes("`") ? inner.trim() : text;
}

function readBlock(block: string, readText: ReadPastedOptions["readText"]): Pasted {
  const text = dropLineComments(block);
  if (/^[{"]/.test(text)) return readWhole(text, readClientJson, "JSON");
  if (isToml(text) || isYaml(text)) {
    const format = isToml(text) ? "TOML" : "YAML";
    return readWhole(
      text,
      readText ??
        (() => {
          throw new Error(`${format} is not read here`);
        }),
      format,
    );
  }
  const link = readLink(findLink(text));
  if (link === undefined) return readShell(block);
  if ("problem" in link) return { form: "link", servers: [], problems: [{ reason: link.problem }] };
  return { form: "link", servers: link, problems: [] };
}

/** Lines above JSON that name its file, and no JSON. */
function dropLineComments(text: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => !/^\s*(?:\/\/|#|$)/.test(line));
  const rest = lines.slice(Math.max(at, 0)).join("\n").trim();
  return /^[{"]/.test(rest) ? rest : text;
}

function isToml(text: string): boolean {
  const first = findFirstLine(text);
  return /^\[{1,2}[\w."'-][^[\]{}]*\]{1,2}\s*(?:#.*)?$/.test(first) || /^[\w-]+ = ["[{\d]/.test(first);
}

function isYaml(text: string): boolean {
  const first = findFirstLine(text);
  return /^[A-Za-z_][\w-]*:\s*(?:[|>&#].*)?$/.test(first) || /^- \w+:(?:\s|$)/.test(first) || first === "---";
}

function findFirstLine(text: string): string {
  return (text.split("\n").find((line) => !/^\s*(?:#|$)/.test(line)) ?? "").trim();
}

/** The address of a link that stands alone, also as Markdown writes it, `[text](address)`. */
function findLink(text: string): string {
  const at = text.lastIndexOf("](");
  return /^!?\[/.test(text) && at > 0 && text.endsWith(")") ? text.slice(at + 2, -1) : text;
}

function readWhole(text: string, read: (text: string) => unknown, format: string): Pasted {
  const fail = (reason: string): Pasted => ({ form: "settings", servers: [], problems: [{ reason }] });
  let settings: unknown;
  try {
    settings = read(text);
  } catch (error) {
    // A text of many brackets ends a parser in another way.
    const reason = error instanceof RangeError ? "it is too deep" : describeError(error);
    return fail(`it cannot be read as ${format}: ${reason}`);
  }
  const servers = readSettings(settings);
  if (servers !== undefined) return { form: "settings", servers, problems: [] };
  const isOther = isRecord(settings) && Object.keys(settings).length > 0;
  return fail(isOther ? `the ${format} has no entry with a command or a URL` : `the ${format} is empty`);
}

function readShell(text: string): Pasted {
  const lines = plainTypography(text).split("\n");
  const plain = lines.map((line) => line.replace(PROMPT, "")).join("\n");
  const servers: FoundServer[] = [];
  const problems: PastedProblem[] = [];
  let exported: Readonly<Record<string, string>> = {};
  for (const command of parseShell(plain)) {
    if ("problem" in command) {
      problems.push({ reason: command.problem });
      continue;
    }
    const variables = readExport(command.words);
    if (variables !== undefined) {
      exported = { ...exported, ...variables };
      continue;
    }
    const read = readCommand(command.words, exported);
    if ("problem" in read)
      problems.push({ name: command.words.slice(0, 2).join(" ").slice(0, 60), reason: read.problem });
    else servers.push(...read);
  }
  return { form: "command", servers, problems };
}

/** Instructions show one server in the forms of several clients: the first with a name stays. */
function dropSame(servers: readonly FoundServer[]): FoundServer[] {
  const kept = new Map<string, FoundServer>();
  for (const server of servers) {
    const key = JSON.stringify(toComparable(server));
    const known = kept.get(key);
    if (known === undefined || (known.name === "" && server.name !== "")) kept.set(key, server);
  }
  return [...kept.values()];
}

/** What a server is started with, whatever the client calls it. */
function toComparable({ settings }: FoundServer): unknown {
  const { command, args, env, url, serverUrl, httpUrl, headers } = toRecord(settings);
  if (command === undefined && url === undefined && serverUrl === undefined && httpUrl === undefined) return settings;
  return [command, args ?? [], env ?? {}, url ?? serverUrl ?? httpUrl, headers ?? {}];
}

/** What a server is called, for messages and its secrets, if it has no name of its own. */
export function nameServer({ name, settings, inputs }: FoundServer): string {
  if (name !== "") return name;
  const read = readEntry("server", settings, inputs);
  return "entry" in read ? nameAfterTarget(read.entry.run) : "server";
}
