import { Link } from "@tanstack/react-router";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";

/** Says that tools of a server are held back, and leads to them; nothing when there are none. */
export function HeldLink({ workload }: { readonly workload: Workload }) {
  const { name, tool_differences: count } = workload;
  if (count === undefined) return null;
  return (
    <Link to="/servers/$name/$tab" params={{ name, tab: "tools" }} className="pins__link">
      {count === 1 ? t("pins.heldOne") : t("pins.held", { count })}
    </Link>
  );
}
