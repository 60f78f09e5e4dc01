import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { DEFAULT_GROUP } from "../../store/group-places.ts";
import { useGroups } from "../../store/groups.ts";
import { t } from "../../words/messages.ts";
import { type ClientChange, ClientDialog } from "./client-dialog.tsx";
import { Matrix } from "./matrix.tsx";

type Client = OperationAnswer<"discoverClients">["clients"][number];

export function Clients() {
  const found = useQuery({ queryKey: ["clients"], queryFn: () => call("discoverClients") });
  const { data: groups = [] } = useGroups();
  const clients = found.data?.clients ?? [];
  const here = clients.filter(({ installed }) => installed);
  const others = clients.filter(({ installed }) => !installed);
  return (
    <>
      <PageHead title={t("clients.title")} />
      <p className="lead">{t("clients.intro")}</p>
      {found.error !== null && <ProblemView problem={toProblem(found.error)} onRetry={() => void found.refetch()} />}
      {found.data !== undefined && (
        <>
          <Matrix clients={clients} groups={groups} />
          <h2>{t("clients.found")}</h2>
          {here.length === 0 ? <p>{t("clients.none")}</p> : <ClientList clients={here} />}
          <h2>{t("clients.other")}</h2>
          <ClientList clients={others} />
          <CommandLine command="thv client status" />
        </>
      )}
    </>
  );
}

function ClientList({ clients }: { readonly clients: readonly Client[] }) {
  return (
    <ul className="rows rows--clients">
      {clients.map((client) => (
        <ClientRow key={client.client_type} client={client} />
      ))}
    </ul>
  );
}

function ClientRow({ client }: { readonly client: Client }) {
  const { client_type: name, title, installed, registered, failure } = client;
  const [change, setChange] = useState<ClientChange | undefined>();
  const { data: groups = [] } = useGroups();
  const its = groups.filter((group) => group.registered_clients.includes(name)).map((group) => group.name);
  const isInGroups = its.some((group) => group !== DEFAULT_GROUP);
  const next = registered ? "disconnect" : "connect";
  return (
    <li className="row">
      <span className="row__name">{title}</span>
      <span className={registered ? "chip chip--good" : "chip"}>
        {t(registered ? "clients.connected" : "clients.notConnected")}
      </span>
      {isInGroups && <span className="row__note">{t("clients.inGroups", { groups: its.join(", ") })}</span>}
      {failure !== undefined && <span className="row__note">{failure}</span>}
      {registered && (
        <Button look="quiet" aria-label={`${t("clients.undo")}: ${title}`} onClick={() => setChange("undo")}>
          {t("clients.undo")}
        </Button>
      )}
      <Button aria-label={`${t(`clients.${next}`)}: ${title}`} onClick={() => setChange(next)}>
        {t(`clients.${next}`)}
      </Button>
      {change !== undefined && (
        <ClientDialog
          name={name}
          title={title}
          isInstalled={installed}
          change={change}
          onClose={() => setChange(undefined)}
        />
      )}
    </li>
  );
}
