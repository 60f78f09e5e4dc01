/** What the registry knows of a server that runs elsewhere: its headers, and how somebody signs in. */
import { ForeignLink } from "../../parts/foreign-link.tsx";
import { t } from "../../words/messages.ts";
import { Fact, ScopesFact } from "../plan/fact.tsx";
import { DeclaredList, ToolNames } from "./entry-parts.tsx";
import type { RemoteEntry } from "./select-entries.ts";

export function RemoteEntryFacts({ entry }: { readonly entry: RemoteEntry }) {
  const { description, tier, transport, url, tools, headers, oauth_config: oauth, repository_url: repository } = entry;
  return (
    <>
      <p className="lead">{description}</p>
      <p>
        <span className="chip">{t("remote.mark")}</span> <span className="chip">{tier}</span>{" "}
        <span className="chip">{transport}</span>
      </p>
      <div className="panels">
        <section className="panel">
          <h2>{t("plan.remote")}</h2>
          <p>
            <code>{url}</code>
          </p>
          <h2>{t("remote.headers")}</h2>
          <DeclaredList items={headers} />
          {repository !== undefined && (
            <p>
              <ForeignLink url={repository} label={t("registry.repository")} />
            </p>
          )}
        </section>
        <section className="panel">
          <h2>{t("remote.signIn")}</h2>
          {oauth === undefined ? <p>{t("remote.wayHint.discovered")}</p> : <SignInHints oauth={oauth} />}
        </section>
        {tools.length > 0 && <ToolNames tools={tools} />}
      </div>
    </>
  );
}

function SignInHints({ oauth }: { readonly oauth: NonNullable<RemoteEntry["oauth_config"]> }) {
  const { issuer, authorize_url: authorize, client_id: client, scopes = [], resource } = oauth;
  return (
    <dl className="facts">
      <Fact term={t("access.issuer")}>
        {issuer === undefined && authorize === undefined ? t("remote.named") : <code>{issuer ?? authorize}</code>}
      </Fact>
      <Fact term={t("remote.clientId")}>{client === undefined ? t("remote.registered") : <code>{client}</code>}</Fact>
      <ScopesFact scopes={scopes} />
      {resource !== undefined && (
        <Fact term={t("remote.resource")}>
          <code>{resource}</code>
        </Fact>
      )}
    </dl>
  );
}
