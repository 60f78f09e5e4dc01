/** How servers are used; read again when an event says that calls were counted. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call, type OperationAnswer } from "../../api/client.ts";
import { useLive } from "../../store/live.ts";

export type UsageSummary = OperationAnswer<"listUsage">["servers"][number];
export type ServerUsage = OperationAnswer<"getUsage">;

/** @returns By name; empty until it is known, and while calls are not counted. */
export function useUsageList(): ReadonlyMap<string, UsageSummary> {
  const { connection } = useLive();
  const { data } = useQuery({
    queryKey: ["usage"],
    queryFn: async ({ signal }) => {
      const { servers } = await call("listUsage", { signal });
      return new Map(servers.map((each) => [each.name, each]));
    },
    enabled: connection !== "signed-out",
    placeholderData: keepPreviousData,
  });
  return data ?? NONE;
}

const NONE: ReadonlyMap<string, UsageSummary> = new Map();

export function useServerUsage(name: string) {
  return useQuery({
    queryKey: ["usage", name],
    queryFn: ({ signal }) => call("getUsage", { params: { name }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** For example `240 ms`, `1.2 s`, `over 30 s`. */
export function formatDuration(ms: number): string {
  if (ms >= 30_000) return "over 30 s";
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** With the separators of thousands that people read. */
export function formatCount(count: number): string {
  return count.toLocaleString("en");
}
