/** Cards that lead somewhere: the whole card is one link with one name. */
import Link from "@docusaurus/Link";
import type { ReactNode } from "react";

export function CardGrid({ children }: { readonly children: ReactNode }) {
  return <div className="card-grid">{children}</div>;
}

export interface CardProps {
  readonly title: string;
  readonly to: string;
  /** A short fact at the foot, such as the time it takes. */
  readonly note?: string;
  readonly children: ReactNode;
}

export function Card({ title, to, note, children }: CardProps) {
  return (
    <Link className="doc-card" to={to}>
      <span className="doc-card__title">{title}</span>
      <span className="doc-card__text">{children}</span>
      {note && <span className="doc-card__note">{note}</span>}
    </Link>
  );
}
