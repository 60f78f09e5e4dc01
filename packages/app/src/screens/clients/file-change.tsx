import type { OperationAnswer } from "../../api/client.ts";
import { t } from "../../words/messages.ts";
import { type DiffLine, diffLines } from "./file-diff.ts";

export type FileChange = OperationAnswer<"planClients">["files"][number];

const SIGNS = { same: " ", added: "+", removed: "−", gap: "…" } as const satisfies Record<DiffLine["kind"], string>;

/** What becomes of a text, such as a client's file, line by line. */
export function FileChangeView({ change: { path, before, after } }: { readonly change: Omit<FileChange, "client"> }) {
  const lines = diffLines(before, after);
  return (
    <figure className="diff">
      <figcaption>
        <code>{path}</code>
      </figcaption>
      {lines.length === 0 ? (
        <p className="quiet">{t("clients.unchanged")}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
        <pre tabIndex={0}>
          {lines.map(({ kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else, and do not move.
            <span key={index} className={`diff__line diff__line--${kind}`}>
              {SIGNS[kind]} {text}
            </span>
          ))}
        </pre>
      )}
    </figure>
  );
}
