/** What somebody types or pastes to say which server is meant, and what was recognised in it. */
import { Link } from "@tanstack/react-router";
import { Button } from "../../parts/button.tsx";
import { AreaField } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";
import { PastedList } from "../pasted/pasted-list.tsx";
import type { Source } from "../pasted/source.ts";
import type { NewServer } from "./use-new-server.ts";

const RECOGNISED = {
  registry: "add.recognisedRegistry",
  image: "add.recognisedImage",
  package: "add.recognisedPackage",
  remote: "add.recognisedRemote",
  settings: "add.recognisedSettings",
  command: "add.recognisedCommand",
  link: "add.recognisedLink",
} as const;

interface SourceFieldsProps {
  readonly server: NewServer;
  readonly error: string | undefined;
}

export function SourceFields({ server, error }: SourceFieldsProps) {
  const { text, source, isRemote } = server;
  return (
    <>
      <AreaField
        label={t("add.source")}
        hint={chooseHint(source, isRemote)}
        error={error}
        rows={text.includes("\n") ? 8 : text.length > 80 ? 3 : 1}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onChange={(next) => server.setText(next)}
      />
      {text === "" && (
        <Link to="/registry" className="button button--plain">
          {t("servers.browse")}
        </Link>
      )}
      {source.kind === "image" && source.meant !== undefined && (
        <p className="pasted-meant">
          {t("add.meant", { typed: text.trim() })}{" "}
          <Button onClick={() => server.setText(source.meant ?? "")}>{source.meant}</Button>
        </p>
      )}
      {source.kind === "pasted" && <PastedList pasted={source} isChosen={server.isChosen} onChange={server.choose} />}
    </>
  );
}

function chooseHint(source: Source, isRemote: boolean): string {
  if (source.kind === "registry" && isRemote) return t("add.recognisedRemoteEntry");
  if (source.kind === "pasted") return t(RECOGNISED[source.form]);
  if (source.kind !== "none") return t(RECOGNISED[source.kind]);
  return source.reason === "" ? t("add.sourceHint") : `${source.reason} ${t("add.sourceHint")}`;
}
