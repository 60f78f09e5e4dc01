import { Link } from "@tanstack/react-router";
import { lazy, memo, Suspense, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ServerIcon } from "../../parts/icon/server-icon.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { describeReason, isUp, StatusMark } from "../../parts/status-mark.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { startServer, stopServer, useAction } from "../actions/use-action.ts";
import { GroupChips } from "../groups/group-chips.tsx";
import { HeldLink } from "../tool-pins/held-link.tsx";
import { Sparkline } from "../usage/sparkline.tsx";
import { formatCount, type UsageSummary } from "../usage/use-usage.ts";

const SignInDialog = lazy(async () => ({ default: (await import("../sign-in/sign-in-dialog.tsx")).SignInDialog }));

interface ServerRowProps {
  readonly workload: Workload;
  /** Names of the groups that it is in, without `default`. */
  readonly groups: readonly string[];
  /** Absent until it is known, and while calls are not counted. */
  readonly usage: UsageSummary | undefined;
}

/** Drawn again only when its own workload, its groups or its usage changed. */
export const ServerRow = memo(function ServerRow({ workload, groups, usage }: ServerRowProps) {
  const { name, status, url, remote, warnings = [] } = workload;
  const action = useAction();
  const [isSigningIn, setSigningIn] = useState(false);
  const canStop = isUp(workload);
  const reason = describeReason(workload) ?? (status === "running" ? warnings[0] : undefined);
  return (
    <tr>
      <th scope="row">
        <div className="servers__who">
          <ServerIcon name={name} />
          <div>
            <Link to="/servers/$name" params={{ name }} className="servers__name">
              {name}
            </Link>
            <span className="servers__package">
              {remote === true && <span className="chip">{t("remote.mark")}</span>} {workload.package}
            </span>
            {groups.length > 0 && <GroupChips groups={groups} label={t("servers.inGroups", { name })} />}
          </div>
        </div>
      </th>
      <td>
        <StatusMark workload={workload} />
        {reason !== undefined && (
          <span className="servers__reason" title={reason}>
            {reason}
          </span>
        )}
        <HeldLink workload={workload} />
        {workload.error?.hint !== undefined && <span className="servers__reason">{workload.error.hint}</span>}
        {action.problem !== undefined && <ProblemView problem={action.problem} />}
      </td>
      <UsageCells usage={usage} />
      <td className="servers__where">
        <span className="servers__address">
          <code>{dropLoopback(url)}</code>
          <CopyButton text={url} label={`${t("action.copyAddress")}: ${name}`} />
        </span>
      </td>
      <td className="servers__actions">
        <div className="servers__buttons">
          {status === "unauthenticated" && (
            <Button
              look="primary"
              aria-label={`${t("signIn.begin")}: ${name}`}
              aria-haspopup="dialog"
              onClick={() => setSigningIn(true)}
            >
              {t("signIn.begin")}
            </Button>
          )}
          <Button
            isBusy={action.isBusy || status === "stopping" || status === "removing"}
            aria-label={`${t(canStop ? "action.stop" : "action.start")}: ${name}`}
            onClick={() => void action.run(() => (canStop ? stopServer(name) : startServer(name)))}
          >
            {t(canStop ? "action.stopShort" : "action.startShort")}
          </Button>
        </div>
        {isSigningIn && (
          <Suspense>
            <SignInDialog name={name} onClose={() => setSigningIn(false)} />
          </Suspense>
        )}
      </td>
    </tr>
  );
});

/** Clients that a row names. */
const MAX_CLIENTS = 1;

function UsageCells({ usage }: { readonly usage: UsageSummary | undefined }) {
  if (usage === undefined) {
    return (
      <>
        <td className="servers__usage" />
        <td className="servers__last" />
        <td className="servers__clients" />
      </>
    );
  }
  const { calls, failures, days, clients, last_used_at: last } = usage;
  const more = clients.length - MAX_CLIENTS;
  return (
    <>
      <td className={calls === 0 ? "servers__usage servers__usage--none" : "servers__usage"}>
        <span className="servers__calls">
          {calls > 0 && <Sparkline days={days} />}
          {formatCount(calls)}
          {failures > 0 && (
            <span className="servers__failures">{t("servers.failed", { failures: formatCount(failures) })}</span>
          )}
        </span>
      </td>
      <td className={calls === 0 ? "servers__last servers__usage--none" : "servers__last"}>
        {last === undefined ? t("servers.never") : <Moment at={last} />}
      </td>
      <td className="servers__clients" title={clients.join(", ")}>
        {clients.slice(0, MAX_CLIENTS).join(", ")}
        {more > 0 && ` ${t("servers.moreClients", { count: more })}`}
      </td>
    </>
  );
}

/** Drops the host of an address on this machine: only the ports of these addresses differ. */
function dropLoopback(url: string): string {
  return url.replace(/^https?:\/\/127\.0\.0\.1/, "");
}
