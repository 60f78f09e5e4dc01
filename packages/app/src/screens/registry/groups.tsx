/** Servers that a registry names together, each a link to its entry. */
import { Link } from "@tanstack/react-router";
import { t } from "../../words/messages.ts";
import type { CatalogGroup } from "./select-entries.ts";

export function Groups({ groups }: { readonly groups: readonly CatalogGroup[] }) {
  return (
    <section className="registry-groups" aria-label={t("registry.groups")}>
      <h2>{t("registry.groups")}</h2>
      {groups.map(({ name, description, source, references }) => (
        <div key={`${source}/${name}`} className="registry-group">
          <div className="registry-group__head">
            <h3>{name}</h3>
            {references.length > 0 && (
              <Link
                to="/registry-groups/$source/$group"
                params={{ source, group: name }}
                className="button button--plain"
                aria-label={t("registry.runGroup", { name })}
              >
                {t("registry.runGroupShort")}
              </Link>
            )}
          </div>
          <p>{description}</p>
          <p className="chips">
            {references.map((reference) => (
              <Link key={reference} className="chip" to="/registry/$entry" params={{ entry: reference }}>
                {reference}
              </Link>
            ))}
          </p>
        </div>
      ))}
    </section>
  );
}
