/** Another image of the registry for this server, what it needs, and the way to it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { TextField } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { Fact } from "../plan/fact.tsx";

export function Upgrade({ name }: { readonly name: string }) {
  const queries = useQueryClient();
  const action = useAction();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const found = useQuery({
    queryKey: ["registry", "upgrade", name],
    queryFn: () => call("checkUpgrade", { params: { name } }),
    // The screen of the registry reports a registry that cannot be read.
    retry: false,
  });
  if (found.data?.available !== true) return null;
  const { image, new_image: next = "", new_variables: variables } = found.data;
  const env = Object.entries(values).flatMap(([key, value]) => (value === "" ? [] : [`${key}=${value}`]));
  const upgrade = async (event: FormEvent) => {
    event.preventDefault();
    const isDone = await action.run(() => call("upgradeWorkload", { params: { name }, body: { env } }));
    if (isDone) await queries.invalidateQueries({ queryKey: ["registry", "upgrade", name] });
  };
  return (
    <section className="panel panel--wide">
      <h2>{t("upgrade.title")}</h2>
      <p>{t("upgrade.text")}</p>
      <dl className="facts">
        <Fact term={t("edit.before")}>
          <code>{image}</code>
        </Fact>
        <Fact term={t("edit.after")}>
          <code>{next}</code>
        </Fact>
      </dl>
      <form className="form" onSubmit={(event) => void upgrade(event)}>
        {variables.map(({ name: variable, description, required, secret }) => (
          <TextField
            key={variable}
            label={variable}
            hint={description}
            required={required}
            type={secret === true ? "password" : "text"}
            autoComplete="off"
            value={values[variable] ?? ""}
            onChange={(text) => setValues({ ...values, [variable]: text })}
          />
        ))}
        {action.problem !== undefined && <ProblemView problem={action.problem} />}
        <Button look="primary" type="submit" isBusy={action.isBusy}>
          {t(action.isBusy ? "upgrade.working" : "upgrade.apply")}
        </Button>
        <CommandLine command={`thv upgrade apply ${name}`} />
      </form>
    </section>
  );
}
