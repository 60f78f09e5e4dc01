/** What a group of a registry consists of, and the request for each of its servers: as for one that is added by itself. */
import { isRemoteTarget } from "@toolhive/core/target";
import type { OperationAnswer } from "../../api/client.ts";
import { type Draft, EMPTY_DRAFT, toWanted } from "../add/draft.ts";
import { followEntry } from "../add/network-draft.ts";
import type { CreateRequest } from "../pasted/source.ts";
import type { LocalEntry } from "../registry/select-entries.ts";

export interface GroupServer {
  /** What it is run by. */
  readonly reference: string;
  readonly description: string;
  readonly asked: LocalEntry["env_vars"];
  readonly permissions?: LocalEntry["permissions"];
  /** Where it is, for one that runs elsewhere. */
  readonly url?: string;
}

type Located = OperationAnswer<"getCatalogEntry">;

/** @param found The entry of the reference. */
export function toGroupServer(reference: string, { server, remote_server: remote }: Located): GroupServer {
  if (remote !== undefined)
    return { reference, description: remote.description, asked: remote.headers ?? [], url: remote.url };
  const permissions = server?.permissions;
  return {
    reference,
    description: server?.description ?? "",
    asked: server?.env_vars ?? [],
    ...(permissions && { permissions }),
  };
}

/** @param answers To what it asks for, by name; for secret ones the name of a stored secret. */
export function toGroupRequest(
  { reference, asked, permissions, url = "" }: GroupServer,
  answers: Readonly<Record<string, string>>,
  group: string,
): CreateRequest {
  const draft: Draft = followEntry({ ...EMPTY_DRAFT, asked: answers }, permissions);
  return { ...toWanted({ image: reference }, draft, asked, isRemoteTarget(url)), group };
}

/** Registries name their groups as they like. */
export function proposeGroupName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[^A-Za-z0-9]/, "g")
    .slice(0, 60);
}
