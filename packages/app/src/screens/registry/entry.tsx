import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { call } from "../../api/client.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { ForeignLink } from "../../parts/foreign-link.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { EntryOrigin } from "./entry-origin.tsx";
import { DeclaredList, ToolNames } from "./entry-parts.tsx";
import { RemoteEntryFacts } from "./remote-entry-facts.tsx";
import type { LocalEntry } from "./select-entries.ts";

export function Entry() {
  const { entry: name } = useParams({ from: "/registry/$entry" });
  const found = useQuery({
    queryKey: ["registry", "entry", name],
    queryFn: () => call("getCatalogEntry", { params: { reference: name } }),
  });
  const { server: entry, remote_server: remote } = { ...found.data };
  return (
    <>
      <PageHead title={name}>
        <Link to="/add" search={{ from: name }} className="button button--primary">
          {t("registry.add")}
        </Link>
      </PageHead>
      {found.error !== null && <ProblemView problem={toProblem(found.error)} onRetry={() => void found.refetch()} />}
      {found.isPending && (
        <p className="quiet" role="status">
          {t("app.loading")}
        </p>
      )}
      {found.data !== undefined && <EntryOrigin entry={found.data} />}
      {entry !== undefined && <EntryFacts entry={entry} />}
      {remote !== undefined && <RemoteEntryFacts entry={remote} />}
      <CommandLine command={`thv registry info ${name}`} />
    </>
  );
}

function EntryFacts({ entry }: { readonly entry: LocalEntry }) {
  const {
    description,
    tier,
    transport,
    image,
    tools,
    env_vars: variables,
    needed_args: neededArguments = [],
    repository_url: repository,
    provenance,
  } = entry;
  return (
    <>
      <p className="lead">{description}</p>
      <p className="chips">
        <span className="chip">{t("registry.container")}</span> <span className="chip">{tier}</span>{" "}
        <span className="chip">{transport}</span>
      </p>
      <div className="panels">
        <section className="panel">
          <h2>{t("registry.asks")}</h2>
          <DeclaredList items={[...variables, ...neededArguments.map(describeArgument)]} />
        </section>
        <section className="panel">
          <h2>{t("registry.reaches")}</h2>
          <p>{entry.reach ?? t("registry.noReach")}</p>
          <h2>{t("registry.provenance")}</h2>
          <p>
            {provenance === undefined
              ? t("registry.noProvenance")
              : t("registry.provenanceText", {
                  signer: provenance.cert_issuer ?? provenance.sigstore_url ?? "Sigstore",
                  repository: provenance.repository_uri ?? image,
                })}
          </p>
          <h2>{t("registry.image")}</h2>
          <p>
            <code>{image}</code>
          </p>
          {repository !== undefined && (
            <p>
              <ForeignLink url={repository} label={t("registry.repository")} />
            </p>
          )}
        </section>
        {tools.length > 0 && <ToolNames tools={tools} />}
      </div>
    </>
  );
}

/** The caller has to give each, so that an entry without variables may ask for something, too. */
function describeArgument({ name, description = "" }: NonNullable<LocalEntry["needed_args"]>[number]) {
  return { name: t("registry.argument", { name }), description, required: true };
}
