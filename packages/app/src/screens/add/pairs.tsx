import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { MEMBER_LABELS } from "../../words/member-labels.ts";
import { type MessageKey, t } from "../../words/messages.ts";
import { SecretEditor } from "../secrets/secret-editor.tsx";
import type { Pair } from "./draft.ts";

interface PairsProps {
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
}

/** Variables of the user's own, with their values. */
export function VariablePairs({ pairs, onChange }: PairsProps) {
  return (
    <PairList title={MEMBER_LABELS.env_vars} add="add.addVariable" pairs={pairs} onChange={onChange}>
      {(pair, setValue, label) => (
        <input aria-label={label} value={pair.value} onChange={(event) => setValue(event.target.value)} />
      )}
    </PairList>
  );
}

/** Variables of the user's own that get the value of a stored secret. */
export function SecretPairs({ pairs, onChange }: PairsProps) {
  return (
    <PairList title={MEMBER_LABELS.secrets} add="add.addSecret" pairs={pairs} onChange={onChange}>
      {(pair, setValue, label) => (
        <SecretChoice label={label} variable={pair.name} value={pair.value} onChange={setValue} />
      )}
    </PairList>
  );
}

/** Headers that each request to a remote server gets. */
export function HeaderPairs({ pairs, onChange }: PairsProps) {
  return (
    <PairList title="remote.headers" add="remote.addHeader" name="remote.header" pairs={pairs} onChange={onChange}>
      {(pair, setValue, label) => (
        <input aria-label={label} value={pair.value} onChange={(event) => setValue(event.target.value)} />
      )}
    </PairList>
  );
}

/** The same with the values of stored secrets. */
export function SecretHeaderPairs({ pairs, onChange }: PairsProps) {
  return (
    <PairList
      title="remote.secretHeaders"
      add="remote.addSecretHeader"
      name="remote.header"
      pairs={pairs}
      onChange={onChange}
    >
      {(pair, setValue, label) => (
        <SecretChoice label={label} variable={pair.name} value={pair.value} onChange={setValue} />
      )}
    </PairList>
  );
}

interface PairListProps extends PairsProps {
  readonly title: MessageKey;
  readonly add: MessageKey;
  /** What the first field of a row is called. */
  readonly name?: MessageKey;
  readonly children: (pair: Pair, setValue: (value: string) => void, label: string) => ReactNode;
}

function PairList({ title, add, name = "add.variable", pairs, onChange, children }: PairListProps) {
  const id = useId();
  const change = (changed: Pair) => onChange(pairs.map((each) => (each.id === changed.id ? changed : each)));
  return (
    <fieldset className="group">
      <legend>{t(title)}</legend>
      {pairs.map((pair) => (
        <div key={`${id}-${pair.id}`} className="pair">
          <input
            aria-label={t(name)}
            placeholder={t(name)}
            value={pair.name}
            onChange={(event) => change({ ...pair, name: event.target.value })}
          />
          {children(pair, (value) => change({ ...pair, value }), t("add.value"))}
          <Button onClick={() => onChange(pairs.filter((each) => each.id !== pair.id))}>{t("add.removeRow")}</Button>
        </div>
      ))}
      <Button onClick={() => onChange([...pairs, { id: nextId(pairs), name: "", value: "" }])}>{t(add)}</Button>
    </fieldset>
  );
}

function nextId(pairs: readonly Pair[]): number {
  return Math.max(0, ...pairs.map(({ id }) => id)) + 1;
}

interface SecretChoiceProps {
  readonly label: string;
  /** Name and value of the new secret that is offered. */
  readonly offer?: { readonly name: string; readonly value?: string | undefined };
  /** The variable that gets the value: a new secret is named like it. */
  readonly variable: string;
  /** Name of a stored secret. */
  readonly value: string;
  readonly isRequired?: boolean;
  readonly control?: object;
  readonly onChange: (value: string) => void;
}

export function SecretChoice({
  label,
  offer,
  variable,
  value,
  isRequired = false,
  control = {},
  onChange,
}: SecretChoiceProps) {
  const [isEditing, setEditing] = useState(false);
  const list = useQuery({ queryKey: ["secrets"], queryFn: () => call("listSecrets") });
  const keys = (list.data?.keys ?? []).map(({ key }) => key);
  return (
    <span className="pair__secret">
      <select
        {...control}
        aria-label={label}
        required={isRequired}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{t("add.chooseSecret")}</option>
        {[...new Set([...keys, ...(value === "" ? [] : [value])])].map((key) => (
          <option key={key}>{key}</option>
        ))}
      </select>
      <Button onClick={() => setEditing(true)}>{t("add.newSecret")}</Button>
      {isEditing && (
        <SecretEditor
          proposal={offer?.name ?? variable.toLowerCase().replaceAll("_", "-")}
          value={offer?.value}
          onClose={(saved) => {
            setEditing(false);
            if (saved === undefined) return;
            onChange(saved);
            void list.refetch();
          }}
        />
      )}
    </span>
  );
}

interface AskedFieldProps {
  readonly variable: {
    readonly name: string;
    readonly description: string;
    readonly required?: boolean | undefined;
    readonly secret?: boolean | undefined;
    readonly default?: string | undefined;
  };
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** What the registry's entry asks for: a variable, or a header. */
export function AskedField({ variable, value, onChange }: AskedFieldProps) {
  const { name, description, required = false, secret = false, default: preset = "" } = variable;
  const label = required ? `${name} (${t("registry.required")})` : name;
  return (
    <Field label={label} hint={description}>
      {(control) =>
        secret ? (
          <SecretChoice
            control={control}
            label={label}
            variable={name}
            value={value}
            isRequired={required}
            onChange={onChange}
          />
        ) : (
          <input
            {...control}
            required={required && preset === ""}
            placeholder={preset}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}
