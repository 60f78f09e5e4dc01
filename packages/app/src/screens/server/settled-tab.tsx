import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { Access } from "./access.tsx";
import { useDetails } from "./details.ts";
import { Network } from "./network.tsx";
import { ServerSettings } from "./settings.tsx";

interface SettledTabProps {
  readonly workload: Workload;
  readonly tab: "network" | "access" | "settings";
}

/** The tabs that show and change how the server is run. They start again with each change that somebody made elsewhere. */
export function SettledTab({ workload, tab }: SettledTabProps) {
  const details = useDetails(workload.name, workload.created_at);
  if (details.error !== null) {
    return <ProblemView problem={toProblem(details.error)} onRetry={() => void details.refetch()} />;
  }
  if (details.data === undefined) return <p className="quiet">{t("app.loading")}</p>;
  const { request, plan, undo } = details.data;
  if (request === undefined) return <ProblemView problem={{ message: t("edit.damaged") }} />;
  const key = JSON.stringify(request);
  if (tab === "network") return <Network workload={workload} request={request} plan={plan} />;
  if (tab === "access") return <Access key={key} workload={workload} request={request} plan={plan} />;
  return <ServerSettings key={key} workload={workload} request={request} undo={undo} />;
}
