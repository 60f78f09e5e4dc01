/** Where a set is at an image registry. */
import { TextField } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";

const MAX_CHARACTERS = 512;

interface ReferenceFieldProps {
  readonly hint: string;
  readonly value: string;
  onChange(next: string): void;
}

export function ReferenceField(props: ReferenceFieldProps) {
  return (
    <TextField
      label={t("set.reference")}
      required
      spellCheck={false}
      autoComplete="off"
      placeholder="oci://ghcr.io/acme/tools:1.0"
      maxLength={MAX_CHARACTERS}
      {...props}
    />
  );
}
