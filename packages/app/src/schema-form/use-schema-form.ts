/** The state of a form for one schema: its fields, or JSON where it has none or the user prefers it. */
import { isRecord, parseJson } from "@toolhive/http/values";
import { useMemo, useState } from "react";
import { t } from "../words/messages.ts";
import { checkValue } from "./check.ts";
import { beginDraft, buildValue, type Draft, fillDraft, type Problems } from "./draft.ts";
import { type FormField, readFields } from "./fields.ts";

export interface SchemaFormState {
  /** `undefined`: the schema has no form. */
  readonly fields: readonly FormField[] | undefined;
  readonly isJson: boolean;
  readonly draft: ReadonlyMap<string, Draft>;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** What keeps it from being sent at all. */
  readonly faults: Problems;
  /** What the schema has against it; it can be sent all the same. */
  readonly objections: Problems;
  change(draft: ReadonlyMap<string, Draft>): void;
  type(text: string): void;
  /** @returns Whether the fields can show what the JSON says. */
  show(isJson: boolean): boolean;
}

export function useSchemaForm(schema: unknown): SchemaFormState {
  const fields = useMemo(() => readFields(schema), [schema]);
  const [isPreferred, setPreferred] = useState(false);
  const [draft, change] = useState<ReadonlyMap<string, Draft>>(() => beginDraft(fields ?? []));
  const [text, type] = useState("{}");
  const isJson = fields === undefined || isPreferred;
  const { value, faults } = useMemo(() => {
    if (!isJson) {
      const { value: built, problems } = buildValue(fields, draft);
      return { value: built, faults: problems };
    }
    const parsed = parseJson(text);
    if (isRecord(parsed)) return { value: parsed, faults: new Map<string, string>() };
    return { value: {}, faults: new Map([["#", t("form.noObject")]]) };
  }, [isJson, fields, draft, text]);
  const objections = useMemo(
    () => (faults.size > 0 ? new Map<string, string>() : checkValue(schema, value)),
    [schema, value, faults],
  );
  const show = (next: boolean) => {
    if (next) type(JSON.stringify(value, null, 2));
    else {
      const filled = faults.size > 0 ? undefined : fillDraft(fields ?? [], value);
      if (filled === undefined) return false;
      change(filled);
    }
    setPreferred(next);
    return true;
  };
  return { fields, isJson, draft, text, value, faults, objections, change, type, show };
}
