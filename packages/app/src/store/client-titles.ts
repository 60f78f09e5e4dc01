/** What people call a client: `Visual Studio Code` for `vscode`. */
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { call } from "../api/client.ts";

/** @returns Names a client; until its name is known, and for one that nobody knows any more, by its id. */
export function useClientTitles(): (id: string) => string {
  const { data } = useQuery({ queryKey: ["clients"], queryFn: () => call("discoverClients") });
  return useCallback((id: string) => data?.clients?.find(({ client_type: type }) => type === id)?.title ?? id, [data]);
}
