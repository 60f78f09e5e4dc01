import { useEffect, useState } from "react";
import { t } from "../words/messages.ts";

/** How long the button says that the text was copied, in milliseconds. */
const SHOWN_MS = 1_500;

interface CopyButtonProps {
  /** A long text is put together when it is copied. */
  readonly text: string | (() => string);
  readonly label?: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    setCopied(true);
  };
  return (
    <button
      type="button"
      className="copy"
      aria-label={label ?? t("action.copy")}
      title={label ?? t("action.copy")}
      onClick={() => void copy()}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {isCopied ? <path d="M3 8.5 6.5 12 13 4.5" /> : <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />}
      </svg>
      <span className="visually-hidden" role="status">
        {isCopied ? t("action.copied") : ""}
      </span>
    </button>
  );
}
