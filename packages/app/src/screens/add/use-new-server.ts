/** The state of the form for a new server: the text, what was recognised in it, what was filled in, and the request for all that. */
import { useQuery } from "@tanstack/react-query";
import { isRemoteTarget } from "@toolhive/core/target";
import { useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { type AskedVariable, type Draft, EMPTY_DRAFT, toRequest } from "./draft.ts";
import { changeDraft, followEntry } from "./network-draft.ts";
import { toRemoteRequest } from "./remote-draft.ts";
import { type CreateRequest, recognise, withSecrets } from "./source.ts";

/** The same list each time, so that nothing is worked out again. */
const NONE: readonly never[] = [];

export type NewServer = ReturnType<typeof useNewServer>;

/** @param from The text that the form begins with. */
export function useNewServer(from: string) {
  const { entries, remotes, names } = useRegistryServers();
  const [text, setText] = useState(from);
  const [chosen, setChosen] = useState<string | undefined>();
  // Of one text and one server of it: the same names may mean something else in another.
  const [choices, setChoices] = useState<Readonly<Record<string, string>>>({});
  const [typed, setTyped] = useState<Draft>(EMPTY_DRAFT);
  const recognised = useMemo(() => recognise(text, names, chosen), [text, names, chosen]);
  const source = useMemo(() => withSecrets(recognised, choices), [recognised, choices]);
  const known = source.kind === "registry" ? source.request.image : undefined;
  const entry = entries.find(({ name }) => name === known);
  const remoteEntry = remotes.find(({ name }) => name === known);
  const draft = followEntry(typed, entry?.permissions);
  const address = remoteEntry?.url ?? (source.kind === "none" ? "" : source.request.image);
  const isRemote = isRemoteTarget(address);
  const asked = entry?.env_vars ?? remoteEntry?.headers ?? [];
  return {
    text,
    source,
    chosen,
    choices,
    draft,
    address,
    isRemote,
    asked,
    /** What the registry says that its entry reaches. */
    reach: entry?.reach ?? "",
    request: source.kind === "none" ? undefined : toWanted(source.request, draft, asked, isRemote),
    setText: (next: string) => {
      setText(next);
      setChoices({});
    },
    choose: (name: string) => {
      setChosen(name);
      setChoices({});
    },
    chooseSecret: (target: string, secret: string) => setChoices((before) => ({ ...before, [target]: secret })),
    change: (next: Partial<Draft>) => setTyped((before) => changeDraft(followEntry(before, entry?.permissions), next)),
  };
}

function useRegistryServers() {
  const registry = useQuery({
    queryKey: ["registry", "servers"],
    queryFn: () => call("listServers", { params: { name: "default" } }),
  });
  const entries = registry.data?.servers ?? NONE;
  const remotes = registry.data?.remote_servers ?? NONE;
  const names = useMemo(() => new Set([...entries, ...remotes].map(({ name }) => name)), [entries, remotes]);
  return { entries, remotes, names };
}

function toWanted(
  source: CreateRequest,
  draft: Draft,
  asked: readonly AskedVariable[],
  isRemote: boolean,
): CreateRequest {
  if (!isRemote) return toRequest(source, draft, asked);
  const { name, transport, remote } = draft;
  const own = toRequest(source, { ...EMPTY_DRAFT, name, transport });
  return toRemoteRequest(own, remote, asked, draft.asked);
}
