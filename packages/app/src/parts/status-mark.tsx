import type { Workload } from "../store/live-store.ts";
import { t } from "../words/messages.ts";
import { formatBytes } from "./sizes.ts";

/** Asleep is a kind of running: its address answers. */
export type ShownStatus = Workload["status"] | "asleep";

/** Each status has a shape, so that its colour is not the only mark. */
const SHAPES: Record<ShownStatus, string> = {
  running: "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z",
  asleep: "M9.5 3a5 5 0 1 0 3.5 7.5A4.6 4.6 0 0 1 9.5 3z",
  starting: "M8 3a5 5 0 0 1 0 10z",
  stopping: "M8 3a5 5 0 0 0 0 10z",
  removing: "M8 3a5 5 0 0 0 0 10z",
  stopped: "M4.5 4.5h7v7h-7z",
  error: "M8 2.5 14 13H2z",
  unhealthy: "M8 2 14 8l-6 6-6-6z",
  unauthenticated: "M5 7V5a3 3 0 0 1 6 0v2h1v6H4V7zm1.5 0h3V5a1.5 1.5 0 0 0-3 0z",
  unknown: "M8 2 14 8l-6 6-6-6z",
};

export function StatusMark({ workload }: { readonly workload: Workload }) {
  const shown = findShownStatus(workload);
  return <Mark status={shown} label={t(`status.${shown}`)} />;
}

/** A shape and a color of a status beside other words for it. */
export function Mark({ status, label }: { readonly status: ShownStatus; readonly label: string }) {
  return (
    <span className={`status status--${status}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle className="status__ring" cx="8" cy="8" r="5" />
        <path d={SHAPES[status]} />
      </svg>
      {label}
    </span>
  );
}

export function findShownStatus({ status, asleep }: Pick<Workload, "status" | "asleep">): ShownStatus {
  return status === "running" && asleep === true ? "asleep" : status;
}

/** The reason for the status, in one line. @returns `undefined` when there is none. */
export function describeReason(workload: Workload): string | undefined {
  const pull = describePull(workload);
  if (pull !== undefined) return pull;
  const reason = workload.error?.message ?? workload.status_context;
  if (findShownStatus(workload) !== "asleep") return reason;
  return [t("status.asleepHint"), reason].filter(Boolean).join(" ");
}

function describePull({ pull = [] }: Workload): string | undefined {
  if (pull.length === 0) return undefined;
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return t("status.pulling", {
    done: pull.filter(({ state }) => state === "done").length,
    total: pull.length,
    current: formatBytes(sum(pull.map(({ current_bytes }) => current_bytes))),
    size: formatBytes(sum(pull.map(({ total_bytes }) => total_bytes))),
  });
}

/** Whether it needs attention: it failed, wants a sign-in, has changed its tools, or cannot be relied on as it is. */
export function needsAttention(workload: Workload): boolean {
  const { status, warnings = [], tool_differences: differences = 0, missing_tools: missing = [] } = workload;
  const isWrong = status === "error" || status === "unhealthy" || status === "unauthenticated";
  return isWrong || warnings.length > 0 || differences > 0 || missing.length > 0;
}

/** Whether it is meant to run, so that it can be stopped: a server that waits for a sign-in is. */
export function isUp({ status }: Workload): boolean {
  return status === "running" || status === "unhealthy" || status === "starting" || status === "unauthenticated";
}
