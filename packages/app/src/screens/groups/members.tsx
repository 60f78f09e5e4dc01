/** The servers of a group: the state of each, with controls to add and remove them. */
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { quoteWord } from "@toolhive/http/values";
import { type FormEvent, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import type { Group } from "../../store/group-places.ts";
import { useLive } from "../../store/live.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { describeTools, isDefault } from "./group-words.ts";
import { MemberMark } from "./member-mark.tsx";

export function Members({ group }: { readonly group: Group }) {
  const { name, workloads: members } = group;
  const { workloads } = useLive();
  const queries = useQueryClient();
  const action = useAction();
  const [chosen, setChosen] = useState("");
  const inIt = new Set(members.map((member) => member.name));
  const others = [...(workloads?.keys() ?? [])].filter((each) => !inIt.has(each));
  // The chosen server may have joined in another way.
  const server = others.includes(chosen) ? chosen : "";
  const change = async (id: "addGroupWorkload" | "removeGroupWorkload", workload: string) => {
    const isDone = await action.run(() => call(id, { params: { name, workload } }));
    if (isDone) await queries.invalidateQueries({ queryKey: ["groups"] });
  };
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (server !== "" && !action.isBusy) void change("addGroupWorkload", server);
  };
  return (
    <section className="panel">
      <h2>{t("groups.servers")}</h2>
      {members.length === 0 ? (
        <p className="quiet">{t("groups.noServers")}</p>
      ) : (
        <ul className="rows">
          {members.map((member) => (
            <li key={member.name} className="row">
              <Link to="/servers/$name" params={{ name: member.name }} className="row__name">
                {member.name}
              </Link>
              <MemberMark member={member} />
              {!isDefault(group) && (
                <span className="quiet">
                  {t("groups.tools")}: {describeTools(member)}
                </span>
              )}
              <Button
                isBusy={action.isBusy}
                aria-label={t("groups.takeOutOf", { name: member.name })}
                onClick={() => void change("removeGroupWorkload", member.name)}
              >
                {t("groups.takeOut")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      {others.length === 0 ? (
        <p className="quiet">{t("groups.allServers")}</p>
      ) : (
        <form className="form" onSubmit={add}>
          <Field label={t("groups.addServer")}>
            {(control) => (
              <div className="listed">
                <select {...control} required value={server} onChange={(event) => setChosen(event.target.value)}>
                  <option value="">{t("groups.chooseServer")}</option>
                  {others.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
                <Button type="submit" isBusy={action.isBusy}>
                  {t("groups.addMember")}
                </Button>
              </div>
            )}
          </Field>
        </form>
      )}
      <CommandLine command={`thv group add ${quoteWord(name)} ${server === "" ? "SERVER" : quoteWord(server)}`} />
    </section>
  );
}
