/** The choice of tools of one group, read and changed in place: sessions of its clients stay open. */
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "../../api/client.ts";
import type { Group } from "../../store/group-places.ts";
import { useAction } from "../actions/use-action.ts";
import { isSameChoice } from "./tool-choice.ts";
import type { ToolChoiceControl } from "./use-tool-choice.ts";

export function useGroupChoice(group: Group): ToolChoiceControl {
  const { name, tools, tools_override } = group;
  const queries = useQueryClient();
  const action = useAction();
  const chosen = useMemo(
    () => ({ ...(tools && { tools }), ...(tools_override && { tools_override }) }),
    [tools, tools_override],
  );
  const change: ToolChoiceControl["change"] = async (edit) =>
    await action.run(async () => {
      // Somebody else may have changed it since it was shown.
      const saved = await call("getGroup", { params: { name } });
      const next = edit(saved);
      if (next === undefined || isSameChoice(saved, next)) return;
      const { tools: names = [], tools_override: overrides = {} } = next;
      await call("chooseGroupTools", { params: { name }, body: { tools: names, tools_override: overrides } });
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["groups"] }),
        queries.invalidateQueries({ queryKey: ["group-tools", name] }),
      ]);
    });
  return { chosen, action, change };
}
