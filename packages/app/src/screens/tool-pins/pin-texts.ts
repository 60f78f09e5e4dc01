/** A changed definition as two texts, whose lines can be compared and hide nothing. */
import { sortJson } from "@toolhive/http/values";
import type { OperationAnswer } from "../../api/client.ts";
import { t } from "../../words/messages.ts";
import type { FileChange } from "../clients/file-change.tsx";

export type Pins = OperationAnswer<"getToolPins">;
export type ToolDifference = Pins["differences"][number];
type Definition = NonNullable<ToolDifference["after"]>;

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Characters that people cannot see and models read, as their code points. */
export function showHidden(text: string): string {
  return text.replace(
    HIDDEN,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** What was recorded and what the server says now, one line for each line of a text. */
export function toTexts(difference: ToolDifference): Omit<FileChange, "client"> {
  const { name, kind, before, after, before_text, after_text } = difference;
  const next = formatSide(after, after_text) ?? (kind === "removed" ? undefined : `${t("pins.unreadable")}\n`);
  const known = formatSide(before, before_text);
  return {
    path: `${showHidden(name.slice(0, 200))} (${t(`pins.${kind}`)})`,
    ...(known !== undefined && { before: known }),
    ...(next !== undefined && { after: next }),
  };
}

/** @returns What `acceptTools` gets of differences as they were shown. */
export function toAccepted(shown: readonly ToolDifference[]): { name: string; sha256?: string }[] {
  return shown.map(({ name, sha256 }) => ({ name, ...(sha256 !== undefined && { sha256 }) }));
}

function formatSide(definition: Definition | undefined, text: string | undefined): string | undefined {
  if (definition !== undefined) return formatDefinition(definition);
  return text === undefined ? undefined : `${t("pins.unclear")}\n${showHidden(text)}\n`;
}

function formatDefinition(definition: Definition): string {
  const members = Object.entries(definition).map(([member, value]) => {
    if (typeof value === "string") return `${member}: ${value.split("\n").join("\n  ")}`;
    return `${member}: ${JSON.stringify(sortJson(value), null, 2)}`;
  });
  return `${showHidden(members.join("\n"))}\n`;
}
