import { t } from "../words/messages.ts";
import { CopyButton } from "./copy-button.tsx";

/** The `thv` command that does the same as the controls above it. */
export function CommandLine({ command }: { readonly command: string }) {
  return (
    <div className="command">
      <span className="visually-hidden">{t("action.command")}: </span>
      <code>{command}</code>
      <CopyButton text={command} label={`${t("action.copy")}: ${command}`} />
    </div>
  );
}
