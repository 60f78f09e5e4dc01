/** The groups of servers, read again when servers are added or removed, and when somebody changes a group. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { useLive } from "./live.ts";

/** Milliseconds between two requests for the state of the group's servers: no event announces that one becomes reachable. */
const LOOK_MS = 3_000;

/** @param isWatched Whether the state of each group's servers is needed, too. */
export function useGroups({ isWatched = false }: { readonly isWatched?: boolean } = {}) {
  const { connection, workloads } = useLive();
  const names = [...(workloads?.keys() ?? [])].join(" ");
  return useQuery({
    queryKey: ["groups", names],
    queryFn: async ({ signal }) => (await call("listGroups", { signal })).groups,
    enabled: workloads !== undefined && connection !== "signed-out",
    placeholderData: keepPreviousData,
    refetchInterval: isWatched && connection === "live" ? LOOK_MS : false,
    retry: false,
  });
}
