import { Mark, type ShownStatus } from "../../parts/status-mark.tsx";
import type { GroupMember } from "../../store/group-places.ts";
import { useLive } from "../../store/live.ts";
import { t } from "../../words/messages.ts";

const LOOKS = {
  ready: "running",
  starting: "starting",
  unavailable: "error",
  stopped: "stopped",
} as const satisfies Record<GroupMember["state"], ShownStatus>;

/** How a server is in its group. One that is asleep is ready, too: the next call wakes it. */
export function MemberMark({ member: { name, state } }: { readonly member: GroupMember }) {
  const { workloads } = useLive();
  if (state === "ready" && workloads?.get(name)?.asleep === true) {
    return <Mark status="asleep" label={t("status.asleep")} />;
  }
  return <Mark status={LOOKS[state]} label={t(`groups.state.${state}`)} />;
}
