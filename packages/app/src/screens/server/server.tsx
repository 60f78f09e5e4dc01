import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ActionDialog } from "../../parts/dialog.tsx";
import { ServerIcon } from "../../parts/icon/server-icon.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { describeReason, isUp, StatusMark } from "../../parts/status-mark.tsx";
import { useLive } from "../../store/live.ts";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { removeServer, startServer, stopServer, useAction } from "../actions/use-action.ts";
import { HeldLink } from "../tool-pins/held-link.tsx";
import { LastOutput } from "./last-output.tsx";
import { Overview } from "./overview.tsx";
import { PullLayers } from "./pull-layers.tsx";

const Logs = lazy(async () => ({ default: (await import("../logs/logs.tsx")).Logs }));
const Tools = lazy(async () => ({ default: (await import("../tools/tools.tsx")).Tools }));
const ChangedTools = lazy(async () => ({
  default: (await import("../tool-pins/changed-tools.tsx")).ChangedTools,
}));
const SettledTab = lazy(async () => ({ default: (await import("./settled-tab.tsx")).SettledTab }));
const SignInDialog = lazy(async () => ({ default: (await import("../sign-in/sign-in-dialog.tsx")).SignInDialog }));
/** What may have its reason in what the server wrote. */
const OF_ITS_PROGRAM: ReadonlySet<string> = new Set(["SERVER_EXITED", "SERVER_NOT_READY"]);
const TABS = ["overview", "tools", "logs", "network", "access", "settings"] as const;
/** A server that runs elsewhere has no network of ours. */
const REMOTE_TABS = TABS.filter((each) => each !== "network");

export function ServerScreen() {
  const { name, tab = "overview" } = useParams({ strict: false }) as { name: string; tab?: string };
  const { workloads } = useLive();
  const workload = workloads?.get(name);
  if (workloads === undefined) return <PageHead title={name} />;
  if (workload === undefined) {
    return (
      <>
        <PageHead title={t("server.missing", { name })} />
        <Link to="/">{t("server.back")}</Link>
      </>
    );
  }
  const tabs = workload.remote === true ? REMOTE_TABS : TABS;
  const active = tabs.find((each) => each === tab) ?? "overview";
  return (
    <>
      <Head workload={workload} />
      <nav className="tabs" aria-label={name}>
        {tabs.map((each) => (
          <Link
            key={each}
            to={each === "overview" ? "/servers/$name" : "/servers/$name/$tab"}
            params={{ name, tab: each }}
            activeOptions={{ exact: true, includeSearch: false }}
            aria-current={each === active ? "page" : undefined}
          >
            {t(`server.${each}`)}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<p className="quiet">{t("app.loading")}</p>}>
        {active === "overview" && <Overview workload={workload} />}
        {active === "tools" && workload.tool_differences !== undefined && <ChangedTools workload={workload} />}
        {active === "tools" && <Tools key={name} workload={workload} />}
        {active === "logs" && <Logs key={name} name={name} />}
        {(active === "network" || active === "access" || active === "settings") && (
          <SettledTab key={name} workload={workload} tab={active} />
        )}
      </Suspense>
    </>
  );
}

function Head({ workload }: { readonly workload: Workload }) {
  const { name, status, url, error, remote } = workload;
  const action = useAction();
  const [isRemoving, setRemoving] = useState(false);
  const [isSigningIn, setSigningIn] = useState(false);
  const canStop = isUp(workload);
  const isSignedOut = status === "unauthenticated";
  const isGoing = status === "stopping" || status === "removing";
  const reason = describeReason(workload);
  return (
    <>
      <PageHead title={name} icon={<ServerIcon name={name} size="large" />}>
        {isSignedOut && (
          <Button look="primary" aria-haspopup="dialog" onClick={() => setSigningIn(true)}>
            {t("signIn.begin")}
          </Button>
        )}
        <Button
          isBusy={action.isBusy || isGoing}
          onClick={() => void action.run(() => (canStop ? stopServer(name) : startServer(name)))}
        >
          {t(canStop ? "action.stop" : "action.start")}
        </Button>
        {canStop && (
          <Button isBusy={action.isBusy} onClick={() => void action.run(() => startServer(name))}>
            {t("action.restart")}
          </Button>
        )}
        <Button look="danger" isBusy={isGoing} onClick={() => setRemoving(true)}>
          {t(status === "starting" ? "action.cancelStart" : "action.remove")}
        </Button>
      </PageHead>
      <div className="server__line">
        <StatusMark workload={workload} />
        {remote === true && <span className="chip">{t("remote.mark")}</span>}
        <code>{url}</code>
        <CopyButton text={url} label={t("action.copyAddress")} />
      </div>
      {error !== undefined ? (
        <ProblemView
          problem={error}
          {...(!isSignedOut && { onRetry: () => void action.run(() => startServer(name)) })}
        />
      ) : (
        reason !== undefined && <p className="server__reason">{reason}</p>
      )}
      {error !== undefined && OF_ITS_PROGRAM.has(error.code) && <LastOutput name={name} failure={error.message} />}
      <HeldLink workload={workload} />
      {status === "starting" && <PullLayers layers={workload.pull ?? []} />}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      {isSigningIn && (
        <Suspense>
          <SignInDialog name={name} onClose={() => setSigningIn(false)} />
        </Suspense>
      )}
      {isRemoving && <RemoveDialog workload={workload} action={action} onClose={() => setRemoving(false)} />}
    </>
  );
}

interface RemoveDialogProps {
  readonly workload: Workload;
  /** Shows its problem when the dialog is closed. */
  readonly action: ReturnType<typeof useAction>;
  readonly onClose: () => void;
}

function RemoveDialog({ workload: { name, remote }, action, onClose }: RemoveDialogProps) {
  const navigate = useNavigate();
  const remove = async () => {
    const isDone = await action.run(() => removeServer(name));
    onClose();
    if (isDone) void navigate({ to: "/" });
  };
  return (
    <ActionDialog
      title={t("remove.title", { name })}
      // An earlier problem is on the page already.
      action={{ isBusy: action.isBusy, problem: undefined }}
      {...{ label: t("action.remove"), look: "danger", onConfirm: remove, onCancel: onClose }}
      command={`thv rm ${name}`}
    >
      <p>{t(remote === true ? "remove.remoteText" : "remove.text")}</p>
    </ActionDialog>
  );
}
