import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { AreaField, Field } from "../parts/field.tsx";
import { Segments } from "../parts/segments.tsx";
import { t } from "../words/messages.ts";
import { beginField, type Draft, type ListItem, type Problems, pointTo } from "./draft.ts";
import type { FormField } from "./fields.ts";
import type { SchemaFormState } from "./use-schema-form.ts";

/** Optional fields that are shown at once; more than these wait behind a line. */
const FEW = 5;
/** Lines of a text field before it scrolls. */
const MAX_ROWS = 12;

interface SchemaFormProps {
  readonly form: SchemaFormState;
  /** Shown at the fields; of anything else below them. */
  readonly problems: Problems;
}

/** Fields for the members of an object, or the object as JSON. */
export function SchemaForm({ form, problems }: SchemaFormProps) {
  const [isStuck, setStuck] = useState(false);
  const { fields, isJson } = form;
  return (
    <>
      {fields === undefined ? (
        <p className="quiet">{t("form.noForm")}</p>
      ) : (
        fields.length > 0 && (
          <Segments
            label={t("form.as")}
            value={isJson ? "json" : "form"}
            options={[
              { value: "form", label: t("form.fields") },
              { value: "json", label: t("form.json") },
            ]}
            onChange={(next) => setStuck(!form.show(next === "json"))}
          />
        )
      )}
      {isStuck && <p role="alert">{t("form.stuck")}</p>}
      {isJson || fields === undefined ? (
        <AreaField
          label={t("form.json")}
          error={listProblems(problems)}
          rows={8}
          spellCheck={false}
          value={form.text}
          onChange={(text) => form.type(text)}
        />
      ) : (
        <>
          {fields.length === 0 && <p className="quiet">{t("form.nothing")}</p>}
          <Fields fields={fields} draft={form.draft} at="#" problems={problems} onChange={form.change} />
        </>
      )}
    </>
  );
}

function listProblems(problems: Problems): string | undefined {
  if (problems.size === 0) return undefined;
  return [...problems].map(([where, problem]) => (where === "#" ? problem : `${where.slice(2)}: ${problem}`)).join(" ");
}

interface FieldsProps {
  readonly fields: readonly FormField[];
  readonly draft: ReadonlyMap<string, Draft>;
  readonly at: string;
  readonly problems: Problems;
  readonly onChange: (draft: ReadonlyMap<string, Draft>) => void;
}

function Fields({ fields, draft, at, problems, onChange }: FieldsProps) {
  const optional = fields.filter(({ isRequired }) => !isRequired);
  const isMany = optional.length > FEW;
  const one = (field: FormField) => (
    <FieldView
      key={field.name}
      field={field}
      label={field.isRequired ? `${field.label} (${t("registry.required")})` : field.label}
      draft={draft.get(field.name) ?? ""}
      at={pointTo(at, field.name)}
      problems={problems}
      onChange={(changed) => onChange(new Map(draft).set(field.name, changed))}
    />
  );
  return (
    <>
      {fields.filter(({ isRequired }) => isRequired || !isMany).map(one)}
      {isMany && (
        <details className="more">
          <summary>{t("form.more", { count: optional.length })}</summary>
          {optional.map(one)}
        </details>
      )}
    </>
  );
}

interface FieldViewProps {
  readonly field: FormField;
  readonly label: string;
  readonly draft: Draft;
  readonly at: string;
  readonly problems: Problems;
  readonly onChange: (draft: Draft) => void;
}

function FieldView(props: FieldViewProps) {
  const { field, label, draft, at, problems, onChange } = props;
  const error = problems.get(at);
  if (field.kind === "group") {
    return (
      <fieldset className="group">
        <legend>{label}</legend>
        {field.hint !== undefined && <p className="field__hint">{field.hint}</p>}
        <Fields
          fields={field.fields}
          draft={draft instanceof Map ? draft : new Map()}
          at={at}
          problems={problems}
          onChange={onChange}
        />
        {error !== undefined && <p className="field__error">{error}</p>}
      </fieldset>
    );
  }
  if (field.kind === "list") return <ListView {...props} field={field} />;
  return <ValueView {...props} field={field} />;
}

type FieldOf<Kind extends FormField["kind"]> = Extract<FormField, { readonly kind: Kind }>;

interface ListViewProps extends FieldViewProps {
  readonly field: FieldOf<"list">;
}

function ListView({ field, label, draft, at, problems, onChange }: ListViewProps) {
  const error = problems.get(at);
  const items = Array.isArray(draft) ? (draft as readonly ListItem[]) : [];
  return (
    <fieldset className="group">
      <legend>{label}</legend>
      {field.hint !== undefined && <p className="field__hint">{field.hint}</p>}
      {items.map(({ id, draft: inner }, index) => (
        <div key={id} className="listed">
          <FieldView
            field={field.item}
            label={t("form.item", { label: field.label, index: index + 1 })}
            draft={inner}
            at={pointTo(at, index)}
            problems={problems}
            onChange={(changed) => onChange(items.map((item) => (item.id === id ? { id, draft: changed } : item)))}
          />
          <Button onClick={() => onChange(items.filter((item) => item.id !== id))}>
            {t("form.removeItem", { index: index + 1 })}
          </Button>
        </div>
      ))}
      <Button
        onClick={() =>
          onChange([...items, { id: Math.max(-1, ...items.map(({ id }) => id)) + 1, draft: beginField(field.item) }])
        }
      >
        {t("form.addItem", { label: field.label })}
      </Button>
      {error !== undefined && <p className="field__error">{error}</p>}
    </fieldset>
  );
}

interface ValueViewProps extends FieldViewProps {
  readonly field: Exclude<FormField, FieldOf<"list" | "group">>;
}

function ValueView({ field, label, draft, at, problems, onChange }: ValueViewProps) {
  const error = problems.get(at);
  const text = typeof draft === "string" ? draft : "";
  return (
    <Field label={label} error={error} {...(field.hint !== undefined && { hint: field.hint })}>
      {(control) => {
        if (field.kind === "choice") {
          return (
            <select {...control} value={text} onChange={(event) => onChange(event.target.value)}>
              <option value="">{t(field.isRequired ? "form.choose" : "form.unset")}</option>
              {field.choices.map((choice, index) => (
                <option key={JSON.stringify(choice.value)} value={index}>
                  {choice.label}
                </option>
              ))}
            </select>
          );
        }
        if (field.kind === "text" || field.kind === "json") {
          return (
            <textarea
              {...control}
              rows={Math.min(MAX_ROWS, Math.max(field.kind === "text" ? 1 : 3, text.split("\n").length))}
              spellCheck={field.kind === "text"}
              value={text}
              onChange={(event) => onChange(event.target.value)}
            />
          );
        }
        return (
          <input
            {...control}
            inputMode={field.kind === "number" ? "decimal" : undefined}
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </Field>
  );
}
