import { type ReactNode, useEffect } from "react";
import { t } from "../words/messages.ts";

interface PageHeadProps {
  readonly title: string;
  /** Before the title; for eyes only. Default: none. */
  readonly icon?: ReactNode;
  readonly children?: ReactNode;
}

/** The title of a screen, in the page and of the tab, with what can be done at its end. */
export function PageHead({ title, icon, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · ${t("app.name")}`;
  }, [title]);
  return (
    <header className="head">
      <div className="head__title">
        {icon}
        <h1 tabIndex={-1}>{title}</h1>
      </div>
      {children !== undefined && <div className="head__actions">{children}</div>}
    </header>
  );
}
