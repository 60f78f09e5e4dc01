import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from "react";
import { t } from "../words/messages.ts";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Draws the control; its attributes connect it with the label, the hint and the error. */
  readonly children: (control: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": boolean | undefined;
  }) => ReactNode;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A browser's own error is shown below the field as every other error is, not in a bubble of its own. */
export function Field({ label, hint, error: given, children }: FieldProps) {
  const id = useId();
  const [objection, setObjection] = useState<string | undefined>();
  const error = objection ?? given;
  const showObjection = (event: FormEvent) => {
    event.preventDefault();
    const control = event.target as Control;
    setObjection(control.validity.valueMissing ? t("form.required") : control.title || control.validationMessage);
    if (control.form?.querySelector("input:invalid, select:invalid, textarea:invalid") === control) control.focus();
  };
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="field" onInvalidCapture={showObjection} onInput={() => setObjection(undefined)}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p className="field__hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className="field__error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** What a field needs, and attributes of its control. */
type ControlProps<Tag extends "input" | "textarea"> = Omit<FieldProps, "children"> &
  Omit<ComponentProps<Tag>, "id" | "value" | "onChange"> & {
    readonly value: string;
    readonly onChange: (text: string) => void;
  };

/** A field of one line. */
export function TextField({ label, hint, error, onChange, ...attributes }: ControlProps<"input">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <input {...control} {...attributes} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

/** A field of several lines. */
export function AreaField({ label, hint, error, onChange, ...attributes }: ControlProps<"textarea">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <textarea {...control} {...attributes} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

interface CheckBoxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function CheckBox({ label, checked, onChange }: CheckBoxProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

interface SearchBoxProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

export function SearchBox({ label, text, onChange }: SearchBoxProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
