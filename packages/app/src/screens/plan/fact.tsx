import type { ReactNode } from "react";
import { t } from "../../words/messages.ts";

/** A row of a list of facts (`<dl className="facts">`). */
export function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The scopes of a sign-in, where there are any. */
export function ScopesFact({ scopes }: { readonly scopes: readonly string[] }) {
  if (scopes.length === 0) return null;
  return (
    <Fact term={t("remote.scopes")}>
      {scopes.map((scope) => (
        <code key={scope} className="chip">
          {scope}
        </code>
      ))}
    </Fact>
  );
}
