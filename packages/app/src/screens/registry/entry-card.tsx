/** One entry in the catalogue: who publishes it, what it does, where it runs. */
import { Link } from "@tanstack/react-router";
import { t } from "../../words/messages.ts";
import { EntryIcon } from "./entry-icon.tsx";
import { type CatalogEntry, formatCount, readFacts } from "./select-entries.ts";

export function EntryCard({ entry }: { readonly entry: CatalogEntry }) {
  const { reference, source, publisher, server } = entry;
  const { description, tier, status, tools, metadata } = readFacts(entry);
  const { stars = 0 } = metadata ?? {};
  return (
    <li className="card">
      <div className="card__head">
        <EntryIcon entry={entry} />
        <div className="card__title">
          <h2>
            <Link to="/registry/$entry" params={{ entry: reference }}>
              {reference}
            </Link>
          </h2>
          {publisher !== undefined && <p className="card__publisher">{publisher.name}</p>}
        </div>
      </div>
      <p className="card__text">{description}</p>
      <p className="card__foot">
        <span className="chip">{server === undefined ? t("remote.mark") : t("registry.container")}</span>
        {tier === "Official" && <span className="chip">{t("registry.official")}</span>}
        {status === "Deprecated" && <span className="chip chip--bad">{t("registry.deprecated")}</span>}
        {source !== "default" && <span className="chip">{source}</span>}
        <span className="card__numbers quiet">
          {tools.length > 0 &&
            (tools.length === 1 ? t("registry.oneTool") : t("registry.toolCount", { count: tools.length }))}
          {stars > 0 && <span>{t("registry.stars", { count: formatCount(stars) })}</span>}
        </span>
      </p>
    </li>
  );
}
