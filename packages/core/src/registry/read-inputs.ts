/** Reads what a `server.json` declares about values that the user gives: variables, headers and arguments. */
import { shorten } from "@toolhive/http/values";
import type { EnvVarDeclaration } from "./registry-schema.ts";
import type { NamedInput, ServerArgument, ServerInput } from "./server-json-schema.ts";

/** Bounds of our map, so that an entry can be written there, too. */
const MAX_DESCRIPTION = 200;
const MIN_DESCRIPTION = 5;
const MAX_HINT = 500;

/** Values of the text's `{names}`, by name. */
export type TemplateValues = Readonly<Record<string, ServerInput>>;

/** @returns `undefined` when one of the `{names}` that are declared has no value. Other braces stay as they are. */
export function fillTemplate(text: string, values: TemplateValues = {}): string | undefined {
  let isComplete = true;
  const filled = text.replace(/\{([^{}]{1,200})\}/g, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) return whole;
    const value = findValue(values[name] ?? {});
    isComplete &&= value !== undefined;
    return value ?? whole;
  });
  return isComplete ? filled : undefined;
}

/** A variable of the environment, or a header: both are declared alike. */
export function readDeclaration(input: NamedInput): EnvVarDeclaration {
  const fixed = input.value === undefined ? undefined : fillTemplate(String(input.value), input.variables);
  const value = fixed ?? (input.default === undefined ? undefined : String(input.default));
  const isOpen = input.value !== undefined && fixed === undefined;
  const choices = [...new Set((input.choices ?? []).map(String))];
  return {
    name: input.name,
    description: describeInput(input, isOpen ? String(input.value) : undefined),
    // Without the present value, nothing would be missing.
    required: value === undefined && (input.isRequired === true || (isOpen && hasRequired(input.variables))),
    ...(value !== undefined && value !== "" && { default: value }),
    ...(isSecret(input) && { secret: true }),
    ...(choices.length > 0 && { choices }),
  };
}

export interface ReadArguments {
  readonly args: readonly string[];
  readonly needed: readonly { readonly name: string; readonly description?: string }[];
}

/** Arguments with a value of their own are given always, those that are required and have none are asked for. */
export function readArguments(inputs: readonly ServerArgument[]): ReadArguments {
  const args: string[] = [];
  const needed: { name: string; description?: string }[] = [];
  for (const input of inputs) {
    const fixed = input.value === undefined ? undefined : fillTemplate(String(input.value), input.variables);
    // Optional values are omitted: the server knows its own default.
    const value = fixed ?? (input.isRequired && input.default !== undefined ? String(input.default) : undefined);
    const isSwitch = input.type === "named" && input.value === undefined && input.default === undefined;
    if (value !== undefined) args.push(...formatArgument(input, value));
    else if (isSwitch && !input.isRequired) continue;
    else if (isSwitch && isPlainSwitch(input)) args.push(...formatArgument(input, ""));
    else if (input.isRequired || (input.value !== undefined && hasRequired(input.variables))) {
      const name = (input.name ?? input.valueHint ?? "argument").slice(0, MAX_DESCRIPTION);
      needed.push({ name, ...(input.description && { description: shorten(input.description, MAX_HINT) }) });
    }
  }
  return { args, needed };
}

/** A required flag without a value: `--read-only`. */
function isPlainSwitch({ choices, description, valueHint }: ServerArgument): boolean {
  return choices === undefined && valueHint === undefined && description === undefined;
}

function formatArgument({ type, name = "" }: ServerArgument, value: string): string[] {
  if (type === "positional") return [value];
  if (name.endsWith("=")) return [`${name}${value}`];
  return value === "" ? [name] : [name, value];
}

function findValue({ value, default: fallback }: ServerInput): string | undefined {
  const found = value ?? fallback;
  return found === undefined || found === "" ? undefined : String(found);
}

function isSecret({ isSecret: own, variables = {} }: NamedInput): boolean {
  return own === true || Object.values(variables).some((variable) => variable.isSecret === true);
}

function hasRequired(variables: TemplateValues = {}): boolean {
  return Object.values(variables).some(({ isRequired }) => isRequired === true);
}

function describeInput({ name, description = "" }: NamedInput, form: string | undefined): string {
  const words = description.trim();
  const said = words.length >= MIN_DESCRIPTION ? words : words === "" ? `Value of ${name}` : `${words} (${name})`;
  if (form === undefined) return shorten(said, MAX_DESCRIPTION);
  const shown = ` Form: ${shorten(form, 80)}`;
  return `${shorten(said, MAX_DESCRIPTION - shown.length)}${shown}`;
}
