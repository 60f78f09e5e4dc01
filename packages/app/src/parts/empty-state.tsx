import type { ReactNode } from "react";

/** Replaces an empty list: the reason, and what to do. */
export function EmptyState({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children !== undefined && <div className="empty__actions">{children}</div>}
    </div>
  );
}
