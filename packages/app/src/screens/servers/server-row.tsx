import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { describeReason, StatusMark } from "../../parts/status-mark.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { startServer, stopServer, useAction } from "./use-action.ts";

/** Drawn again only when its own workload changed. */
export const ServerRow = memo(function ServerRow({ workload }: { readonly workload: Workload }) {
  const { name, status, transport_type: transport, url, warnings = [] } = workload;
  const action = useAction();
  const isUp = status === "running" || status === "unhealthy" || status === "starting";
  const reason = describeReason(workload) ?? (status === "running" ? warnings[0] : undefined);
  return (
    <tr>
      <th scope="row">
        <Link to="/servers/$name" params={{ name }} className="servers__name">
          {name}
        </Link>
        <span className="servers__package">{workload.package}</span>
      </th>
      <td data-label={t("servers.status")}>
        <StatusMark workload={workload} />
        {reason !== undefined && <span className="servers__reason">{reason}</span>}
        {workload.error?.hint !== undefined && <span className="servers__reason">{workload.error.hint}</span>}
        {action.problem !== undefined && <ProblemView problem={action.problem} />}
      </td>
      <td data-label={t("servers.transport")}>{transport}</td>
      <td data-label={t("servers.address")}>
        <span className="servers__address">
          <code>{shorten(url)}</code>
          <CopyButton text={url} label={`${t("action.copyAddress")}: ${name}`} />
        </span>
      </td>
      <td className="servers__actions">
        <Button
          isBusy={action.isBusy || status === "stopping" || status === "removing"}
          aria-label={`${t(isUp ? "action.stop" : "action.start")}: ${name}`}
          onClick={() => void action.run(() => (isUp ? stopServer(name) : startServer(name)))}
        >
          {t(isUp ? "action.stopShort" : "action.startShort")}
        </Button>
      </td>
    </tr>
  );
});

/** The port is what differs. */
function shorten(url: string): string {
  return url.replace(/^https?:\/\/127\.0\.0\.1/, "");
}
