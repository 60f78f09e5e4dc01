import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { call } from "../../api/client.ts";
import { ActionDialog } from "../../parts/dialog.tsx";
import { Field, TextField } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { NAMINGS, type Naming, toCreateCommand } from "./group-words.ts";

export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useId();
  const action = useAction();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [naming, setNaming] = useState<Naming>("auto");
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const body = { name: name.trim(), naming };
    if (!(await action.run(() => call("createGroup", { body })))) return;
    await queries.invalidateQueries({ queryKey: ["groups"] });
    onClose();
    await navigate({ to: "/groups/$name", params: { name: body.name } });
  };
  return (
    <ActionDialog
      {...{ title: t("groups.addTitle"), action, label: t("groups.create"), form, onCancel: onClose }}
      command={toCreateCommand(name.trim(), naming)}
    >
      <form id={form} onSubmit={(event) => void create(event)}>
        <TextField
          label={t("groups.name")}
          hint={t("groups.nameHint")}
          required
          maxLength={100}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={name}
          onChange={setName}
        />
        <Field label={t("groups.naming")} hint={t("groups.namingHint")}>
          {(control) => (
            <select
              {...control}
              value={naming}
              onChange={(event) => setNaming(NAMINGS.find((each) => each === event.target.value) ?? "auto")}
            >
              {NAMINGS.map((each) => (
                <option key={each} value={each}>
                  {t(`groups.naming.${each}`)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </form>
    </ActionDialog>
  );
}
