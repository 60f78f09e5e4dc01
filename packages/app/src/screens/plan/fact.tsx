import type { ReactNode } from "react";

/** A row of a list of facts (`<dl className="facts">`). */
export function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
