import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiProblem, call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ActionDialog } from "../../parts/dialog.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { SearchBox } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { useLive } from "../../store/live.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { SecretEditor } from "./secret-editor.tsx";
import { SetupForm } from "./setup-form.tsx";
import { StaleUsers } from "./stale-users.tsx";

export function Secrets() {
  const queries = useQueryClient();
  const provider = useQuery({ queryKey: ["secrets", "provider"], queryFn: () => call("getSecretsProvider") });
  const list = useQuery({ queryKey: ["secrets"], queryFn: () => call("listSecrets"), enabled: provider.isSuccess });
  const [editing, setEditing] = useState<{ readonly key?: string } | undefined>();
  const [deleting, setDeleting] = useState<string | undefined>();
  const [changed, setChanged] = useState<{ readonly name: string; readonly users: readonly string[] } | undefined>();
  const [text, setText] = useState("");
  const { workloads } = useLive();
  const runs = (name: string) => ["running", "unhealthy", "starting"].includes(workloads?.get(name)?.status ?? "");
  const refresh = () => void queries.invalidateQueries({ queryKey: ["secrets"] });
  const isNotSetUp = provider.error instanceof ApiProblem && provider.error.code === "SECRETS_NOT_SET_UP";
  if (isNotSetUp) {
    return (
      <>
        <PageHead title={t("secrets.title")} />
        <SetupForm onDone={refresh} />
      </>
    );
  }
  const problem = provider.error ?? list.error;
  const keys = (list.data?.keys ?? []).filter(({ key }) => key.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <PageHead title={t("secrets.title")}>
        <Button look="primary" onClick={() => setEditing({})}>
          {t("secrets.add")}
        </Button>
      </PageHead>
      <p className="lead">
        {t("secrets.intro")}{" "}
        {provider.data !== undefined && `${t("secrets.provider")}: ${provider.data.provider_type}.`}
      </p>
      {changed !== undefined && <StaleUsers {...changed} onClose={() => setChanged(undefined)} />}
      {problem !== null && <ProblemView problem={toProblem(problem)} onRetry={refresh} />}
      {list.data?.keys.length === 0 && <EmptyState title={t("secrets.empty")} text={t("secrets.emptyText")} />}
      {(list.data?.keys.length ?? 0) > 0 && (
        <div className="tools">
          <SearchBox label={t("secrets.search")} text={text} onChange={setText} />
        </div>
      )}
      <ul className="rows">
        {keys.map(({ key, used_by }) => (
          <SecretRow
            key={key}
            name={key}
            users={used_by}
            onEdit={() => setEditing({ key })}
            onDelete={() => setDeleting(key)}
          />
        ))}
      </ul>
      <CommandLine command="thv secret list" />
      {editing !== undefined && (
        <SecretEditor
          name={editing.key}
          onClose={(saved) => {
            const users = list.data?.keys.find(({ key }) => key === saved)?.used_by.filter(runs) ?? [];
            if (saved !== undefined && users.length > 0) setChanged({ name: saved, users });
            setEditing(undefined);
            refresh();
          }}
        />
      )}
      {deleting !== undefined && (
        <Deletion
          name={deleting}
          onClose={() => {
            setDeleting(undefined);
            refresh();
          }}
        />
      )}
    </>
  );
}

interface SecretRowProps {
  readonly name: string;
  readonly users: readonly string[];
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function SecretRow({ name, users, onEdit, onDelete }: SecretRowProps) {
  return (
    <li className="row">
      <span className="row__name">{name}</span>
      <span className="row__note">
        {users.length === 0 ? t("secrets.unused") : t("secrets.usedBy", { users: users.join(", ") })}
      </span>
      <Button aria-label={`${t("secrets.change")}: ${name}`} onClick={onEdit}>
        {t("secrets.change")}
      </Button>
      <Button look="danger" aria-label={`${t("secrets.delete")}: ${name}`} onClick={onDelete}>
        {t("secrets.delete")}
      </Button>
    </li>
  );
}

function Deletion({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const action = useAction();
  const remove = async () => {
    if (await action.run(() => call("deleteSecret", { params: { key: name } }))) onClose();
  };
  return (
    <ActionDialog
      {...{ title: t("secrets.deleteTitle", { name }), action, label: t("secrets.delete"), look: "danger" }}
      onConfirm={remove}
      onCancel={onClose}
      command={`thv secret delete ${name}`}
    >
      <p>{t("secrets.deleteText")}</p>
    </ActionDialog>
  );
}
