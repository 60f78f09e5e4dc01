/** The state of the form for a new server: the text, what was recognised in it, what was filled in, and the request for all that. */
import { useQuery } from "@tanstack/react-query";
import { isRemoteTarget } from "@toolhive/core/target";
import { useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import {
  applyChoices,
  type FolderChoice,
  NO_CHOICES,
  type PastedChoices,
  type PastedServer,
} from "../pasted/pasted-servers.ts";
import { type CreateRequest, recognise, type Source } from "../pasted/source.ts";
import { type Draft, EMPTY_DRAFT, toWanted } from "./draft.ts";
import { changeDraft, followEntry } from "./network-draft.ts";

/** The same list each time, so that nothing is worked out again. */
const NONE: readonly never[] = [];

export type NewServer = ReturnType<typeof useNewServer>;

/** @param from The text that the form begins with. */
export function useNewServer(from: string) {
  const { entries, remotes, names } = useRegistryServers();
  const [text, setText] = useState(from);
  // Of one text: the same names may mean something else in another.
  const [chosen, setChosen] = useState<readonly string[] | undefined>();
  const [choices, setChoices] = useState<Readonly<Record<string, PastedChoices>>>({});
  const [typed, setTyped] = useState<Draft>(EMPTY_DRAFT);
  const readText = useTextReader();
  const source = useMemo(() => recognise(text, names, readText), [text, names, readText]);
  const isChosen = (name: string) => chosen?.includes(name) ?? true;
  const pasted = source.kind === "pasted" ? source.servers.filter(({ name }) => isChosen(name)) : NONE;
  const findChoices = (name: string) => choices[name] ?? NO_CHOICES;
  const [single] = pasted.length === 1 ? pasted : NONE;
  const wanted = findRequest(source, single, findChoices);
  const known = wanted && names.has(wanted.image) ? wanted.image : undefined;
  const entry = entries.find(({ name }) => name === known);
  const remoteEntry = remotes.find(({ name }) => name === known);
  const draft = followEntry(typed, entry?.permissions);
  const address = remoteEntry?.url ?? wanted?.image ?? "";
  const isRemote = isRemoteTarget(address);
  const asked = entry?.env_vars ?? remoteEntry?.headers ?? [];
  return {
    text,
    source,
    isChosen,
    /** Those of the pasted servers that are added. */
    pasted,
    /** The one that is added, with all its settings. */
    single,
    findChoices,
    draft,
    address,
    isRemote,
    asked,
    /** What the registry says that its entry reaches. */
    reach: entry?.reach ?? "",
    /** What the text itself asks for. */
    wanted,
    request: wanted && toWanted(wanted, draft, asked, isRemote),
    setText: (next: string) => {
      setText(next);
      setChosen(undefined);
      setChoices({});
    },
    choose: (chosenNames: readonly string[]) => setChosen(chosenNames),
    chooseSecret: (server: string, target: string, secret: string) =>
      setChoices((before) => {
        const own = before[server] ?? NO_CHOICES;
        return { ...before, [server]: { ...own, secrets: { ...own.secrets, [target]: secret } } };
      }),
    chooseFolder: (server: string, target: string, folder: FolderChoice) =>
      setChoices((before) => {
        const own = before[server] ?? NO_CHOICES;
        return { ...before, [server]: { ...own, folders: { ...own.folders, [target]: folder } } };
      }),
    change: (next: Partial<Draft>) => setTyped((before) => changeDraft(followEntry(before, entry?.permissions), next)),
  };
}

/** The one request that is made; several servers are added each for itself. */
function findRequest(
  source: Source,
  single: PastedServer | undefined,
  findChoices: (name: string) => PastedChoices,
): CreateRequest | undefined {
  if (source.kind === "none") return undefined;
  if (source.kind !== "pasted") return source.request;
  return single && applyChoices(single, findChoices(single.name));
}

/** The readers of TOML and YAML, which are loaded behind the form. */
function useTextReader(): ((text: string) => unknown) | undefined {
  const { data } = useQuery({
    queryKey: ["text reader"],
    queryFn: async () => ({ read: (await import("@toolhive/core/client-text")).readClientText }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(() => data && ((text: string) => data.read(text, "")), [data]);
}

function useRegistryServers() {
  const registry = useQuery({
    queryKey: ["registry", "catalog", ""],
    queryFn: () => call("listCatalog"),
  });
  const { entries, remotes } = useMemo(() => {
    const all = registry.data?.entries ?? NONE;
    return {
      // Each is known by what it is run by, which is not its name where an earlier source has that.
      entries: all.flatMap(({ server, reference }) => (server ? { ...server, name: reference } : [])),
      remotes: all.flatMap(({ remote_server: remote, reference }) => (remote ? { ...remote, name: reference } : [])),
    };
  }, [registry.data]);
  const names = useMemo(() => new Set([...entries, ...remotes].map(({ name }) => name)), [entries, remotes]);
  return { entries, remotes, names };
}
