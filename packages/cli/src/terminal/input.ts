/** What a person or a pipe gives. Questions go to stderr, so that results can be piped on. */
import { decodeText, readBoundedText } from "@toolhive/core/bounded-file";
import { ThvError } from "@toolhive/core/errors";
import { describeFileFailure } from "@toolhive/core/file-failure";
import { ByteParts } from "@toolhive/http/byte-parts";
import { showText } from "./shown-text.ts";
import type { Terminal } from "./terminal.ts";

/** Bytes read from a pipe or file at most; a secret has 1 MiB at most. */
const MAX_INPUT_BYTES = 1024 * 1024 + 2;

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Everything that a pipe delivers, without one newline at the end. */
export async function readPiped({ stdin, signal }: Terminal, maxBytes = MAX_INPUT_BYTES): Promise<string> {
  const parts = new ByteParts();
  const stop = () => stdin.destroy(new ThvError("INTERRUPTED", "Interrupted while reading standard input."));
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of stdin) {
      parts.add(Buffer.from(chunk));
      if (parts.length > maxBytes) {
        const limit = Math.floor(maxBytes / 1024 / 1024);
        throw new ThvError("INVALID_ARGUMENT", `Standard input holds more than ${limit} MiB.`);
      }
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  return withoutNewline(decodeText(parts.take()));
}

/** A file's text without one newline at the end; `-` is standard input. */
export async function readTextFile(path: string, terminal: Terminal, maxBytes = MAX_INPUT_BYTES): Promise<string> {
  if (path === "-") return await readPiped(terminal, maxBytes);
  try {
    return withoutNewline(await readBoundedText(path, { maxBytes, mayWait: true }));
  } catch (error) {
    throw new ThvError("INVALID_ARGUMENT", `${path} cannot be read: ${describeFileFailure(error)}`, { cause: error });
  }
}

function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** Asks for a text that is not shown while it is typed. */
export async function askHidden(terminal: Terminal, message: string): Promise<string> {
  const { password } = await import("@clack/prompts");
  return String(requireAnswer(await password({ message: showText(message), mask: "•", ...chooseStreams(terminal) })));
}

/** Asks for a text until there is one. */
export async function askText(terminal: Terminal, message: string): Promise<string> {
  const { text } = await import("@clack/prompts");
  const validate = (value: string | undefined) => (value ? undefined : "Enter a value.");
  return String(requireAnswer(await text({ message: showText(message), validate, ...chooseStreams(terminal) })));
}

export async function askOne(terminal: Terminal, message: string, choices: readonly Choice[]): Promise<string> {
  const { select } = await import("@clack/prompts");
  return String(requireAnswer(await select({ ...describeChoices(message, choices), ...chooseStreams(terminal) })));
}

/** @returns The chosen values, possibly none. */
export async function askSome(terminal: Terminal, message: string, choices: readonly Choice[]): Promise<string[]> {
  const { multiselect } = await import("@clack/prompts");
  const answer = await multiselect({
    ...describeChoices(message, choices),
    required: false,
    ...chooseStreams(terminal),
  });
  return (requireAnswer(answer) as string[]).map(String);
}

/** @param options `isDefault`: whether Enter alone means yes; not by default, because most questions are about a loss. */
export async function askYes(terminal: Terminal, message: string, { isDefault = false } = {}): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  const question = { message: showText(message), initialValue: isDefault, ...chooseStreams(terminal) };
  return requireAnswer(await confirm(question)) === true;
}

/** The library writes to the terminal by itself. */
function describeChoices(message: string, choices: readonly Choice[]) {
  const options = choices.map(({ value, label, hint }) => ({
    value,
    label: showText(label),
    ...(hint !== undefined && { hint: showText(hint) }),
  }));
  return { message: showText(message), options };
}

function chooseStreams({ stdin, stderr, signal }: Terminal) {
  return { input: stdin, output: stderr, ...(signal && { signal }) };
}

/** The prompts answer with a symbol when they were cancelled with Ctrl-C, Escape or a signal. */
function requireAnswer<T>(answer: T | symbol): T {
  if (typeof answer === "symbol") throw new ThvError("INTERRUPTED", "Cancelled: nothing was changed.");
  return answer;
}
