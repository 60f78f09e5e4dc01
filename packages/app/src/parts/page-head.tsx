import { type ReactNode, useEffect } from "react";
import { t } from "../words/messages.ts";

/** The title of a screen, in the page and of the tab, with what can be done at its end. */
export function PageHead({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${t("app.name")}`;
  }, [title]);
  return (
    <header className="head">
      <h1 tabIndex={-1}>{title}</h1>
      {children !== undefined && <div className="head__actions">{children}</div>}
    </header>
  );
}
