/** Where an entry is from: its publisher, its source, and when it was last changed. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../api/client.ts";
import { Moment } from "../../parts/moment.tsx";
import { t } from "../../words/messages.ts";
import { Fact } from "../plan/fact.tsx";
import { EntryIcon } from "./entry-icon.tsx";
import { type CatalogEntry, describeSourceDate, formatCount, readFacts } from "./select-entries.ts";

const BASES = {
  signature: "registry.publisherSignature",
  namespace: "registry.publisherNamespace",
  repository: "registry.publisherRepository",
} as const;

export function EntryOrigin({ entry }: { readonly entry: CatalogEntry }) {
  const { publisher, source, also_in: others = [] } = entry;
  const { name, metadata } = readFacts(entry);
  const { stars = 0, last_updated: changed } = metadata ?? {};
  const registries = useQuery({ queryKey: ["registry"], queryFn: () => call("listRegistries") });
  const own = registries.data?.registries.find((each) => each.name === source);
  const date = own && describeSourceDate(own);
  return (
    <div className="entry-origin">
      <EntryIcon entry={entry} size="large" />
      <dl className="facts">
        {publisher !== undefined && (
          <Fact term={t("registry.publisher")}>
            {publisher.name} <span className="quiet">({t(BASES[publisher.basis])})</span>
          </Fact>
        )}
        <Fact term={t("registry.from")}>{[source, date].filter(Boolean).join(", ")}</Fact>
        {changed !== undefined && (
          <Fact term={t("registry.stand")}>
            <Moment at={changed} />
            {stars > 0 && `, ${t("registry.stars", { count: formatCount(stars) })}`}
          </Fact>
        )}
      </dl>
      {others.length > 0 && (
        <p className="notice">
          {t("registry.alsoIn", { names: "" })}
          {others.map((other) => (
            <Link key={other} to="/registry/$entry" params={{ entry: `${other}/${name}` }}>
              {other}
            </Link>
          ))}
        </p>
      )}
    </div>
  );
}
