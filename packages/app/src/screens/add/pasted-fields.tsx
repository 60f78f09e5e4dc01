/** What somebody has to give for one pasted server: its secrets, and where its folders are. */
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { FolderFields } from "../pasted/folder-fields.tsx";
import type { PastedServer } from "../pasted/pasted-servers.ts";
import { SecretChoice } from "./pairs.tsx";
import type { NewServer } from "./use-new-server.ts";

interface PastedFieldsProps {
  readonly server: NewServer;
  readonly pasted: PastedServer;
}

export function PastedFields({ server, pasted }: PastedFieldsProps) {
  const { secrets, folders } = server.findChoices(pasted.name);
  return (
    <>
      <PastedSecrets
        secrets={pasted.secrets}
        choices={secrets}
        onChange={(target, secret) => server.chooseSecret(pasted.name, target, secret)}
      />
      <FolderFields
        server={pasted}
        choices={folders}
        onChange={(target, folder) => server.chooseFolder(pasted.name, target, folder)}
      />
    </>
  );
}

interface PastedSecretsProps {
  readonly secrets: readonly { readonly name: string; readonly target: string; readonly value?: string }[];
  /** Names of stored secrets, by what gets them. */
  readonly choices: Readonly<Record<string, string>>;
  readonly onChange: (target: string, secret: string) => void;
}

/** Pasted values that look secret: each is stored first, and the server is not added without it. */
function PastedSecrets({ secrets, choices, onChange }: PastedSecretsProps) {
  return secrets.map(({ name, target, value }) => (
    <Field key={name} label={target} hint={t(value === undefined ? "add.secretAsked" : "add.secretPasted")}>
      {(control) => (
        <SecretChoice
          control={control}
          label={target}
          variable={target}
          offer={{ name, value }}
          value={choices[target] ?? ""}
          isRequired
          onChange={(secret) => onChange(target, secret)}
        />
      )}
    </Field>
  ));
}

interface StoreAllProps {
  readonly server: NewServer;
  readonly servers: readonly PastedServer[];
}

/** Stores every pasted value for which nothing is chosen, under the name that is proposed for it. */
export function StoreAll({ server, servers }: StoreAllProps) {
  const action = useAction();
  const list = useQuery({ queryKey: ["secrets"], queryFn: () => call("listSecrets") });
  const open = servers.flatMap((pasted) =>
    pasted.secrets.flatMap(({ name, target, value }) => {
      const isOpen = value !== undefined && (server.findChoices(pasted.name).secrets[target] ?? "") === "";
      return isOpen ? [{ server: pasted.name, name, target, value }] : [];
    }),
  );
  if (open.length < 2) return null;
  const store = async () => {
    const taken = new Set((list.data?.keys ?? []).map(({ key }) => key));
    for (const { server: owner, name, target, value } of open) {
      const key = findFreeName(name, taken);
      await call("createSecret", { body: { key, value } });
      taken.add(key);
      server.chooseSecret(owner, target, key);
    }
    await list.refetch();
  };
  return (
    <>
      <Button isBusy={action.isBusy} onClick={() => void action.run(store)}>
        {t("add.storeAll", { count: open.length })}
      </Button>
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
    </>
  );
}

function findFreeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const own = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(own)) return own;
  }
}
