/**
 * Text that a reader opens when needed. The browser's own element without the theme's animation: a page may hold dozens, and
 * they cost nothing when its scripts take over.
 */
import type { ReactNode } from "react";

export interface AsideProps {
  readonly summary: string;
  readonly children: ReactNode;
}

export function Aside({ summary, children }: AsideProps) {
  return (
    <details className="aside">
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
