/** Numbers the second-level headings inside it, so that a tutorial reads as one sequence. */
import type { ReactNode } from "react";

export function Steps({ children }: { readonly children: ReactNode }) {
  return <div className="steps">{children}</div>;
}
