/**
 * A code block whose HTML was highlighted when the page was compiled: title, copy button, and a quieter form for
 * what a command printed.
 */
import type { StaticPart } from "@site/plugins/static-text/client/read-parts.ts";
import clsx from "clsx";
import { useEffect, useRef, useState } from "react";

export interface CodeFenceProps {
  readonly language: string;
  /** Highlighted HTML from plugins/markdown/highlight-code; the only HTML it may hold is token spans. */
  readonly part: StaticPart;
  readonly title?: string;
  readonly numbered?: string;
  readonly kind?: "command" | "output";
}

/** How long the button says "Copied", milliseconds. */
const COPIED_SHOWN_MS = 2000;

export function CodeFence({ language, part, title, numbered, kind }: CodeFenceProps) {
  const code = useRef<HTMLElement>(null);
  const caption = title ?? (kind === "output" ? "Output" : undefined);
  return (
    <div className={clsx("theme-code-block", "code-fence", `language-${language}`, kind && `code-fence--${kind}`)}>
      {caption && <div className="code-fence__title">{caption}</div>}
      <div className="code-fence__body">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard. */}
        <pre tabIndex={0} className={clsx(numbered && "code-fence__numbered")}>
          <code ref={code} {...part} />
        </pre>
        {kind !== "output" && <CopyButton text={() => code.current?.textContent ?? ""} />}
      </div>
    </div>
  );
}

function CopyButton({ text }: { readonly text: () => string }) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setState("copied");
    } catch {
      // No permission or no secure context: say so, the text can still be selected.
      setState("failed");
    }
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setState("ready"), COPIED_SHOWN_MS);
  };
  const label = { ready: "Copy", copied: "Copied", failed: "Not copied" }[state];

  return (
    <button
      type="button"
      className={clsx("clean-btn", "code-fence__copy", `code-fence__copy--${state}`)}
      aria-label={state === "ready" ? "Copy code to clipboard" : label}
      aria-live="polite"
      onClick={copy}
    >
      {label}
    </button>
  );
}
