/** How a server is signed in at its remote server: by whom, for what, until when, and where that is kept. No token is here. */
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { Fact, ScopesFact } from "../plan/fact.tsx";
import { SignInDialog } from "./sign-in-dialog.tsx";
import type { SignIn } from "./sign-in-state.ts";
import { SignOutDialog } from "./sign-out-dialog.tsx";
import { useSignIn } from "./use-sign-in.ts";

export function SignInPanel({
  workload: { name, status, status_context: context = "" },
}: {
  readonly workload: Workload;
}) {
  const [asked, setAsked] = useState<"in" | "out" | undefined>();
  const [ended, setEnded] = useState("");
  const found = useSignIn(name, { version: `${status} ${context}` });
  const signIn = found.data;
  const isHeld = signIn?.state === "valid" || signIn?.state === "renewing";
  return (
    <section className="panel" aria-labelledby="sign-in-panel">
      <h2 id="sign-in-panel">{t("signIn.heading")}</h2>
      {found.error !== null && <ProblemView problem={toProblem(found.error)} onRetry={() => void found.refetch()} />}
      {signIn === undefined ? (
        found.error === null && <p className="quiet">{t("app.loading")}</p>
      ) : (
        <Facts signIn={signIn} />
      )}
      {signIn?.error !== undefined && status !== "unauthenticated" && <ProblemView problem={signIn.error} />}
      {signIn?.login?.state === "failed" && signIn.login.error && <ProblemView problem={signIn.login.error} />}
      {isHeld && signIn?.kind !== "bearer" && (
        <div className="notice__actions">
          <Button aria-haspopup="dialog" onClick={() => setAsked("in")}>
            {t("signIn.again")}
          </Button>
          <Button look="danger" aria-haspopup="dialog" onClick={() => setAsked("out")}>
            {t("signOut.begin")}
          </Button>
        </div>
      )}
      <p role="status">{isHeld ? "" : ended}</p>
      <CommandLine command={`thv auth status ${name}`} />
      {asked === "in" && <SignInDialog name={name} onClose={() => setAsked(undefined)} />}
      {asked === "out" && (
        <SignOutDialog
          name={name}
          onClose={(isRevoked) => {
            setAsked(undefined);
            if (isRevoked !== undefined) setEnded(t(isRevoked ? "signOut.revoked" : "signOut.forgotten"));
          }}
        />
      )}
    </section>
  );
}

function Facts({ signIn }: { readonly signIn: SignIn }) {
  const { state, kind, issuer, scopes, expires_at: until, renewed_at: renewed, kept_in: kept, renewable } = signIn;
  return (
    <dl className="facts">
      <Fact term={t("signIn.state")}>{t(`signIn.state.${state}`)}</Fact>
      {kind !== "none" && <Fact term={t("signIn.how")}>{t(`signIn.kind.${kind}`)}</Fact>}
      {issuer !== undefined && (
        <Fact term={t("access.issuer")}>
          <code>{issuer}</code>
        </Fact>
      )}
      <ScopesFact scopes={scopes} />
      {until !== undefined && (
        <Fact term={t("signIn.expires")}>
          <Moment at={until} mayBeAhead /> {t(renewable ? "signIn.renewable" : "signIn.notRenewable")}
        </Fact>
      )}
      {renewed !== undefined && (
        <Fact term={t("signIn.renewed")}>
          <Moment at={renewed} />
        </Fact>
      )}
      {kept !== undefined && <Fact term={t("signIn.kept")}>{t(`signIn.kept.${kept}`)}</Fact>}
    </dl>
  );
}
