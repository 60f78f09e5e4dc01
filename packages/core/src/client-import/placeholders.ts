/**
 * What a client fills in before it starts a server: `${input:key}`, `${workspaceFolder}`, `${env:HOST}`, `${PORT:-8080}`,
 * `{env:KEY}`, `${{ secrets.KEY }}`, `$KEY`, `COPILOT_MCP_KEY`, `%APPDATA%`, `$(command)`.
 */
import { isRecord } from "@toolhive/http/values";

/** A question that VS Code asks once, from the `inputs` of its file. */
export interface Input {
  readonly isPassword: boolean;
  readonly fallback?: string;
}

export type Inputs = ReadonlyMap<string, Input>;

interface Placeholder {
  readonly kind: "input" | "variable" | "folder" | "other";
  readonly name: string;
  /** What takes its place without a value of its own. */
  readonly fallback?: string;
}

const PLACEHOLDER =
  /\$\{\{[^{}]*\}\}|\{\{[^{}]*\}\}|\$\{[^${}]*\}|\{(?:env|file):[^{}]*\}|\$\([^()]*\)|%[A-Z][A-Z_]{3}[A-Z0-9_]*%|^COPILOT_MCP_[A-Z0-9_]+$|(?<![\w$])\$[A-Z_][A-Z0-9_]{2,}/g;
/** Folders, files and separators that editors, clients and systems know. */
const FOLDER =
  /^(?:(?:workspaceFolder|workspaceRoot|fileWorkspaceFolder|workspaceFolderBasename)(?::.*)?|userHome|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|PWD|cwd|pathSeparator|\/|(?:relative)?file\w*|__dirname|extensionPath|CLAUDE_(?:PROJECT_DIR|PLUGIN_ROOT)|DOCUMENTS|DESKTOP|DOWNLOADS)$/;

/** The questions in a client's settings, by their ids. */
export function readInputs(settings: unknown): Inputs {
  const found = isRecord(settings) && Array.isArray(settings.inputs) ? settings.inputs : [];
  return new Map(
    found.flatMap((each: unknown) => {
      if (!isRecord(each) || typeof each.id !== "string") return [];
      const fallback = each.default;
      const input = { isPassword: each.password === true, ...(typeof fallback === "string" && { fallback }) };
      return [[each.id, input] as const];
    }),
  );
}

export function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) >= 0;
}

/** Whether it has placeholders, and each is a folder or file that the client knows. */
export function isFolderPlaceholder(text: string): boolean {
  const found = listPlaceholders(text);
  return found.length > 0 && found.every(({ kind }) => kind === "folder");
}

/** Names of what the client takes from its surroundings or from a question. */
export function listPlaceholders(text: string): readonly Placeholder[] {
  return [...text.matchAll(PLACEHOLDER)].map(([whole]) => parsePlaceholder(whole));
}

/** Puts the variables that an entry itself sets into a text of the same entry: `--host=$SENTRY_HOST`. */
export function fillVariables(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replace(PLACEHOLDER, (whole) => {
    const { kind, name } = parsePlaceholder(whole);
    return kind === "variable" && Object.hasOwn(values, name) ? String(values[name]) : whole;
  });
}

/**
 * Puts what a placeholder has without a value of its own into its place: the default of a variable, or of a question that is
 * not for a password.
 *
 * @returns The text, and the names of the placeholders that were replaced.
 */
export function fillDefaults(text: string, inputs: Inputs): { readonly text: string; readonly filled: string[] } {
  const filled: string[] = [];
  const next = text.replace(PLACEHOLDER, (whole) => {
    const { kind, name, fallback } = parsePlaceholder(whole);
    const input = kind === "input" ? inputs.get(name) : undefined;
    const value = input?.isPassword ? undefined : (input?.fallback ?? fallback);
    if (value === undefined) return whole;
    filled.push(name);
    return value;
  });
  return { text: next, filled };
}

function parsePlaceholder(whole: string): Placeholder {
  if (whole.startsWith("$(")) return { kind: whole === "$(pwd)" ? "folder" : "other", name: whole };
  const inner = stripBrackets(whole).trim();
  const [, input] = /^(?:prompt)?[iI]nput:(.*)$/s.exec(inner) ?? [];
  if (input !== undefined) return { kind: "input", name: input };
  if (/^(?:file|command|config):/.test(inner) && !/^fileW/.test(inner)) return { kind: "other", name: inner };
  const [, name = inner, fallback] = /^(?:env:|secrets\.)?([A-Za-z_][A-Za-z0-9_.]*)(?::-(.*))?$/s.exec(inner) ?? [];
  if (FOLDER.test(name) || FOLDER.test(inner)) return { kind: "folder", name };
  return { kind: "variable", name, ...(fallback !== undefined && { fallback }) };
}

function stripBrackets(whole: string): string {
  let [start, end] = [0, whole.length];
  while (start < end && "${%".includes(whole.charAt(start))) start += 1;
  while (end > start && "}%".includes(whole.charAt(end - 1))) end -= 1;
  return whole.slice(start, end);
}
