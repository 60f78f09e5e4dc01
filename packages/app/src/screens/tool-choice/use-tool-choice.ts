/** The choice of tools of one server, read and changed in place: its server goes on, and so do the sessions of clients. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "../../api/client.ts";
import type { Workload } from "../../store/live-store.ts";
import { type Action, useAction } from "../actions/use-action.ts";
import {
  type ChosenTools,
  findOwnName,
  findRegistryTools,
  isNarrowed,
  isSameChoice,
  withTools,
} from "./tool-choice.ts";

export interface ToolChoiceControl {
  /** `undefined` until it is read. */
  readonly chosen: ChosenTools | undefined;
  /** The server's own names of tools that were seen, or that the registry knows. */
  readonly known: ReadonlySet<string>;
  readonly action: Action;
  /** @param edit Gets the choice as it is saved now; `undefined` leaves it. @returns Whether it is saved. */
  change(edit: (chosen: ChosenTools) => ChosenTools | undefined): Promise<boolean>;
}

/** Names of tools that each server was seen with as long as the page is open, so that a hidden one can be offered again. */
const seen = new Map<string, Set<string>>();

/** @param listed What clients see now, once it is known. */
export function useToolChoice(
  { name, package: source, created_at: version }: Workload,
  listed: readonly string[] | undefined,
): ToolChoiceControl {
  const queries = useQueryClient();
  const action = useAction();
  const isShown = listed !== undefined;
  const read = useQuery({
    queryKey: ["details", name, version, "tools"],
    queryFn: ({ signal }) => call("exportWorkload", { params: { name }, signal }),
    enabled: isShown,
    retry: false,
  });
  const registry = useQuery({
    queryKey: ["registry", "servers"],
    queryFn: () => call("listServers", { params: { name: "default" } }),
    // Only where something may be hidden.
    enabled: read.data !== undefined && isNarrowed(read.data),
    retry: false,
  });
  const chosen = read.data;
  const known = useMemo(() => {
    const key = `${name} ${source}`;
    const names = seen.get(key) ?? new Set<string>();
    if (chosen !== undefined) for (const each of listed ?? []) names.add(findOwnName(each, chosen));
    seen.set(key, names);
    const entries = [...(registry.data?.servers ?? []), ...(registry.data?.remote_servers ?? [])];
    return new Set([...names, ...findRegistryTools(entries, source)]);
  }, [name, source, chosen, listed, registry.data]);
  const change: ToolChoiceControl["change"] = async (edit) =>
    await action.run(async () => {
      // Somebody else may have changed it since it was shown.
      const request = await call("exportWorkload", { params: { name } });
      const next = edit(request);
      // Saying the same again would start the server anew.
      if (next === undefined || isSameChoice(request, next)) return;
      await call("editWorkload", { params: { name }, body: withTools(request, next) });
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["details", name] }),
        queries.invalidateQueries({ queryKey: ["offers", name] }),
      ]);
    });
  return { chosen, known, action, change };
}
