/** What was pasted from a terminal or a log, as a question: its lines that say what failed, without what differs each time. */
import { isRecord, parseJson } from "@toolhive/http/values";
import { isMessage } from "@toolhive/search/offline";

/** A question has less; this is what the search reads of it. */
const MAX_CHARACTERS = 400;
/** Lines that are read; the last ones of a log show how it ended. */
const MAX_LINES = 400;
const MAX_LINE_CHARACTERS = 2_000;
/** Members of a line of JSON that hold what happened. */
const MESSAGE_MEMBERS = ["message", "msg", "error", "err", "reason", "detail"];

/** Levels that are numbers, as loggers of Node.js write them. */
const LEAST_FAILURE = 50;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of terminals begin with one
const TERMINAL_SEQUENCES = /\u001b\[[\d;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** Times, numbers of processes and levels at the beginning of a line. */
const LINE_BEGIN =
  /^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?|\[?(?:info|warn(?:ing)?|debug|trace|error|fatal)\]?:?(?= )|\[[\w.-]{1,40}\]|\(?pid[ =:]\d+\)?|[>|$#])\s*/i;
/** Digests, ids and addresses in memory. */
const CHANGING = /\b(?:0x)?[0-9a-f]{12,}\b|\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const NOISE = /^(?:at [\w$.<>]+ \(|at (?:async |file:|node:)|\s*\^+\s*$|Traceback |File ")/;

/** Whether a text is too long or of too many lines to be a question as a person types one. */
export function isPasted(text: string): boolean {
  return text.length > MAX_CHARACTERS || text.slice(0, MAX_CHARACTERS).trim().includes("\n");
}

/** Text without what no person types: sequences of terminals, control characters, runs of blanks. */
export function cleanText(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCES, " ")
    .replace(/[^\S\n]+/g, " ")
    .trim();
}

/** Lines that are compared with known messages. */
const MAX_COMPARED_LINES = 12;

/** @returns The lines that matter, best first. */
export function listMessageLines(text: string): string[] {
  return rankLines(text)
    .slice(0, MAX_COMPARED_LINES)
    .map(({ line }) => line);
}

function rankLines(text: string): { readonly line: string; readonly weight: number }[] {
  const lines = [...new Set(cleanText(text).split("\n").slice(-MAX_LINES).map(cleanLine))].filter(
    (line) => line !== "",
  );
  return lines
    .map((line, index) => ({ line, weight: weigh(line) + index / (lines.length * 4) }))
    .sort((left, right) => right.weight - left.weight);
}

/** @returns The lines that matter as one, at most {@link MAX_CHARACTERS} characters in all. */
export function distillMessage(text: string): string {
  let distilled = "";
  for (const { line, weight } of rankLines(text)) {
    if (distilled !== "" && (weight < 1 || distilled.length + line.length > MAX_CHARACTERS)) continue;
    distilled = distilled === "" ? line.slice(0, MAX_CHARACTERS) : `${distilled} ${line}`;
  }
  return distilled;
}

function cleanLine(given: string): string {
  const line = given.trim().slice(0, MAX_LINE_CHARACTERS);
  if (NOISE.test(line)) return "";
  let text = readJsonMessage(line) ?? line;
  for (let begin = LINE_BEGIN.exec(text); begin !== null && begin[0] !== ""; begin = LINE_BEGIN.exec(text)) {
    // A level is a part of the message where nothing else says that something failed.
    if (/^\[?(?:error|fatal)/i.test(begin[0])) break;
    text = text.slice(begin[0].length);
  }
  return text.replace(CHANGING, " ").replace(/\s+/g, " ").trim();
}

function readJsonMessage(line: string): string | undefined {
  if (!line.startsWith("{")) return undefined;
  const value = parseJson(line);
  if (!isRecord(value)) return undefined;
  const members = Object.entries(value);
  const texts = MESSAGE_MEMBERS.flatMap((name) => {
    const found = members.find(([member]) => member === name)?.[1];
    if (typeof found === "string") return [found];
    return typeof found === "object" && found !== null && "message" in found && typeof found.message === "string"
      ? [found.message]
      : [];
  });
  const level = members.find(([member]) => member === "level" || member === "severity")?.[1];
  const isFailure =
    typeof level === "number" ? level >= LEAST_FAILURE : /^(?:error|fatal|panic|critical)$/i.test(String(level));
  return texts.length === 0 ? undefined : `${isFailure ? "error: " : ""}${texts.join(": ")}`;
}

/** How likely a line says what failed. */
function weigh(line: string): number {
  if (/^(?:error|fatal|panic)\b/i.test(line)) return 3;
  if (isMessage(line)) return 2;
  return /^hint:/i.test(line) ? 1 : 0;
}
