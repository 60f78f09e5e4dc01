/**
 * The protocol revisions this endpoint speaks, and what differs between them.
 */
const SESSION_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

export type SessionRevision = (typeof SESSION_REVISIONS)[number];

/** Offered to clients that ask for an unknown revision. */
export const LATEST_SESSION_REVISION: SessionRevision = "2025-11-25";

export function isSessionRevision(text: string): text is SessionRevision {
  return SESSION_REVISIONS.some((revision) => revision === text);
}

/** The first revision without sessions: every request is independent. */
export const MODERN_REVISION = "2026-07-28";

/** Revision 2025-03-26 added batches and 2025-06-18 removed them. */
export function hasBatches(revision: string): boolean {
  return revision === "2025-03-26";
}

/** From 2025-11-25 a stream may open with an event that has an id and no data; older clients fail to parse it. */
export function hasPrimingEvents(revision: string): boolean {
  return isSessionRevision(revision) && revision >= "2025-11-25";
}
