/** The choice of tools of one server, read and changed in place: its server keeps running, and sessions of clients stay open. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import type { Workload } from "../../store/live-store.ts";
import { type Action, useAction } from "../actions/use-action.ts";
import { type ChosenTools, isSameChoice, withTools } from "./tool-choice.ts";

export interface ToolChoiceControl {
  /** `undefined` until it is read. */
  readonly chosen: ChosenTools | undefined;
  readonly action: Action;
  /** @param edit Gets the choice as it is saved now; `undefined` leaves it. @returns Whether it is saved. */
  change(edit: (chosen: ChosenTools) => ChosenTools | undefined): Promise<boolean>;
}

/** @param isShown Whether its tools are on the screen. */
export function useToolChoice({ name, created_at: version }: Workload, isShown: boolean): ToolChoiceControl {
  const queries = useQueryClient();
  const action = useAction();
  const read = useQuery({
    queryKey: ["details", name, version, "tools"],
    queryFn: ({ signal }) => call("exportWorkload", { params: { name }, signal }),
    enabled: isShown,
    retry: false,
  });
  const change: ToolChoiceControl["change"] = async (edit) =>
    await action.run(async () => {
      // Somebody else may have changed it since it was shown.
      const request = await call("exportWorkload", { params: { name } });
      const next = edit(request);
      // A change to the same value would restart the server.
      if (next === undefined || isSameChoice(request, next)) return;
      await call("editWorkload", { params: { name }, body: withTools(request, next) });
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["details", name] }),
        queries.invalidateQueries({ queryKey: ["offers", name] }),
      ]);
    });
  return { chosen: read.data, action, change };
}
