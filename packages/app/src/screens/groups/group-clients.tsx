/** The clients of a group: which of them have its address, and which get it or lose it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { useClientTitles } from "../../store/client-titles.ts";
import type { Group } from "../../store/group-places.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { isDefault, nameEntry, toConnectCommand } from "./group-words.ts";

export function GroupClients({ group }: { readonly group: Group }) {
  const { name, registered_clients: registered } = group;
  const nameClient = useClientTitles();
  const queries = useQueryClient();
  const action = useAction();
  const [chosen, setChosen] = useState("");
  const found = useQuery({ queryKey: ["clients"], queryFn: () => call("discoverClients") });
  const others = (found.data?.clients ?? [])
    .filter(({ client_type: client }) => !registered.includes(client))
    // Clients that are on this machine are first.
    .toSorted((left, right) => Number(right.installed) - Number(left.installed))
    .map(({ client_type: client }) => client as string);
  const client = others.includes(chosen) ? chosen : "";
  const change = async (work: () => Promise<unknown>) => {
    if (!(await action.run(work))) return;
    await queries.invalidateQueries({ queryKey: ["groups"] });
    await queries.invalidateQueries({ queryKey: ["clients"] });
  };
  const connect = (event: FormEvent) => {
    event.preventDefault();
    if (client === "" || action.isBusy) return;
    void change(() => call("registerClient", { body: { name: client, groups: [name] } }));
  };
  return (
    <>
      <h2>{t("groups.clients")}</h2>
      <p>{isDefault(group) ? t("groups.defaultClients") : t("groups.clientsHint", { entry: nameEntry(name) })}</p>
      {registered.length === 0 ? (
        <p className="quiet">{t("groups.noClients")}</p>
      ) : (
        <ul className="rows">
          {registered.map((each) => (
            <li key={each} className="row">
              <span className="row__name">{nameClient(each)}</span>
              <Button
                isBusy={action.isBusy}
                aria-label={t("groups.disconnect", { name: nameClient(each) })}
                onClick={() =>
                  void change(() => call("unregisterClientFromGroup", { params: { name: each, group: name } }))
                }
              >
                {t("clients.disconnect")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {found.error !== null && <ProblemView problem={toProblem(found.error)} onRetry={() => void found.refetch()} />}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      {others.length > 0 && (
        <form className="form" onSubmit={connect}>
          <Field label={t("groups.connect")}>
            {(control) => (
              <div className="listed">
                <select {...control} required value={client} onChange={(event) => setChosen(event.target.value)}>
                  <option value="">{t("groups.chooseClient")}</option>
                  {others.map((each) => (
                    <option key={each} value={each}>
                      {nameClient(each)}
                    </option>
                  ))}
                </select>
                <Button type="submit" isBusy={action.isBusy}>
                  {t("groups.connectShort")}
                </Button>
              </div>
            )}
          </Field>
        </form>
      )}
      <CommandLine command={toConnectCommand(client, name)} />
    </>
  );
}
