import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../servers/use-action.ts";

type Client = OperationAnswer<"discoverClients">["clients"][number];

export function Clients() {
  const found = useQuery({ queryKey: ["clients"], queryFn: () => call("discoverClients") });
  const clients = found.data?.clients ?? [];
  const here = clients.filter(({ installed, registered }) => installed || registered);
  const others = clients.filter(({ installed, registered }) => !installed && !registered);
  return (
    <>
      <PageHead title={t("clients.title")} />
      <p className="lead">{t("clients.intro")}</p>
      {found.error !== null && <ProblemView problem={toProblem(found.error)} onRetry={() => void found.refetch()} />}
      {found.data !== undefined && (
        <>
          <h2>{t("clients.found")}</h2>
          {here.length === 0 ? <p>{t("clients.none")}</p> : <ClientList clients={here} />}
          <h2>{t("clients.other")}</h2>
          <ClientList clients={others} />
        </>
      )}
    </>
  );
}

function ClientList({ clients }: { readonly clients: readonly Client[] }) {
  return (
    <ul className="rows">
      {clients.map((client) => (
        <ClientRow key={client.client_type} client={client} />
      ))}
    </ul>
  );
}

function ClientRow({ client: { client_type: name, registered } }: { readonly client: Client }) {
  const action = useAction();
  const queries = useQueryClient();
  const change = async () => {
    await (registered ? call("unregisterClient", { params: { name } }) : call("registerClient", { body: { name } }));
    await queries.invalidateQueries({ queryKey: ["clients"] });
  };
  return (
    <li className="row">
      <span className="row__name">{name}</span>
      <span className={registered ? "chip chip--good" : "chip"}>
        {t(registered ? "clients.connected" : "clients.notConnected")}
      </span>
      <CommandLine command={`thv client ${registered ? "remove" : "register"} ${name}`} />
      <Button
        isBusy={action.isBusy}
        aria-label={`${t(registered ? "clients.disconnect" : "clients.connect")}: ${name}`}
        onClick={() => void action.run(change)}
      >
        {t(registered ? "clients.disconnect" : "clients.connect")}
      </Button>
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
    </li>
  );
}
