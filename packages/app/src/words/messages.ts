/** Every label of the application by its key: the guides print the same ones, with `<Ui label="…" />`. */
import data from "./labels.json" with { type: "json" };

export const MESSAGES: Readonly<typeof data.labels> = data.labels;

export type MessageKey = keyof typeof MESSAGES;

/** @param values For the variables in braces. */
export function t(key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string {
  return MESSAGES[key].replace(/\{(\w+)\}/g, (_match, name: string) => String(values[name] ?? ""));
}
