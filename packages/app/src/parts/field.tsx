import { type FormEvent, type ReactNode, useId, useState } from "react";
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
