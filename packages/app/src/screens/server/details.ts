/** How a server is run: what the tabs about its settings show and change. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { OperationInput } from "@toolhive/api/client";
import { call, type OperationAnswer } from "../../api/client.ts";
import type { CreateRequest } from "../pasted/source.ts";

export type Details = OperationAnswer<"getWorkloadDetails">;

/** @param version Changes when the server is created again, so that its details are read again. */
export function useDetails(name: string, version: string) {
  return useQuery({
    queryKey: ["details", name, version],
    queryFn: () => call("getWorkloadDetails", { params: { name } }),
  });
}

/** @returns A function that lets the server reach one more target, and has its details read again. */
export function useAllow(name: string): (target: OperationInput<"allowTarget">["body"]) => Promise<void> {
  const queries = useQueryClient();
  return async (target) => {
    await call("allowTarget", { params: { name }, body: target });
    await Promise.all(["details", "denied"].map((key) => queries.invalidateQueries({ queryKey: [key, name] })));
  };
}

/** @returns A function that takes the last change of the server's settings back, and has its details read again. */
export function useUndo(name: string): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await call("undoWorkloadEdit", { params: { name } });
    await queries.invalidateQueries({ queryKey: ["details", name] });
  };
}

/** @returns A function that gives the server other settings, and has its details read again. */
export function useEdit(name: string): (request: CreateRequest) => Promise<void> {
  const queries = useQueryClient();
  return async (request) => {
    await call("editWorkload", { params: { name }, body: request });
    await queries.invalidateQueries({ queryKey: ["details", name] });
  };
}
