/** What runs here; read once a minute while the page is seen, and shared by everything that shows a part of it. */
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { useLive } from "./live.ts";

/** Milliseconds between two requests. */
const INTERVAL_MS = 60_000;

export function useSystem() {
  const { connection } = useLive();
  return useQuery({
    queryKey: ["system"],
    queryFn: () => call("getSystem"),
    enabled: connection === "live",
    refetchInterval: INTERVAL_MS,
  });
}

/** @returns Makes an address of the documentation from a path, or from one below the documentation; nothing while it is not known where that is. */
export function useDocs(): (path: string) => string | undefined {
  const { data } = useSystem();
  return (path) => (data === undefined ? undefined : new URL(path, `${data.docs_url}/`).href);
}
