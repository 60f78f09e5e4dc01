/** What the command palette offers, and how it is found. */
import { call } from "../api/client.ts";
import type { Workload } from "../store/live-store.ts";
import { t } from "../words/messages.ts";

export interface PaletteEntry {
  /** What is typed to find it, and shown. */
  readonly title: string;
  readonly kind: string;
  /** The address that it opens. */
  readonly to?: string;
  readonly run?: () => Promise<unknown>;
  /** A path of the documentation, as `useDocs` reads it. */
  readonly docs?: string;
}

const PLACES = [
  ["place.servers", "/"],
  ["place.add", "/add"],
  ["place.groups", "/groups"],
  ["place.registry", "/registry"],
  ["place.clients", "/clients"],
  ["place.secrets", "/secrets"],
  ["place.doctor", "/doctor"],
  ["place.settings", "/settings"],
] as const;

export function listEntries(workloads: readonly Workload[]): PaletteEntry[] {
  return [
    ...workloads.flatMap(listServerEntries),
    ...PLACES.map(([label, to]) => ({ title: t(label), kind: t("app.places"), to })),
  ];
}

function listServerEntries({ name, status }: Workload): PaletteEntry[] {
  const params = { name };
  const isRunning = status === "running" || status === "unhealthy" || status === "unauthenticated";
  const act = (id: "stopWorkload" | "restartWorkload") => async () => {
    await call(id, { params }).catch(() => undefined);
  };
  return [
    { title: name, kind: t("place.servers"), to: `/servers/${encodeURIComponent(name)}` },
    { title: `tools ${name}`, kind: t("server.tools"), to: `/servers/${encodeURIComponent(name)}/tools` },
    { title: `logs ${name}`, kind: t("server.logs"), to: `/servers/${encodeURIComponent(name)}/logs` },
    ...(status === "unauthenticated"
      ? [{ title: `sign in ${name}`, kind: t("signIn.begin"), to: `/servers/${encodeURIComponent(name)}` }]
      : []),
    ...(isRunning
      ? [
          { title: `stop ${name}`, kind: t("action.stop"), run: act("stopWorkload") },
          { title: `restart ${name}`, kind: t("action.restart"), run: act("restartWorkload") },
        ]
      : [{ title: `start ${name}`, kind: t("action.start"), run: act("restartWorkload") }]),
  ];
}

/** What the documentation may have about a text: the page of an error code, and its search. */
export function listDocs(text: string): PaletteEntry[] {
  const wanted = text.trim();
  if (wanted === "") return [];
  const kind = t("settings.docs");
  const search = {
    title: t("app.searchDocs", { text: wanted }),
    kind,
    docs: `/search?q=${encodeURIComponent(wanted)}`,
  };
  const code = /^[a-z]{2,20}(?:_[a-z]{1,20}){1,5}$/i.test(wanted) ? wanted.toUpperCase() : undefined;
  if (code === undefined) return [search];
  const page = `reference/errors/${code.toLowerCase().replaceAll("_", "-")}`;
  return [{ title: t("action.learn", { code }), kind, docs: page }, search];
}

/** Those that have every word, the ones that begin with the text first. */
export function findEntries(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = entries.filter(({ title, kind }) => {
    const whole = `${title} ${kind}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const first = words.join(" ");
  return matching.sort(
    (a, b) => Number(b.title.toLowerCase().startsWith(first)) - Number(a.title.toLowerCase().startsWith(first)),
  );
}
