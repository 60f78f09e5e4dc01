import { type FormEvent, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { TextField } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";

/** Sets up a store on a machine that has none. */
export function SetupForm({ onDone }: { readonly onDone: () => void }) {
  const action = useAction();
  const [password, setPassword] = useState("");
  const setUp = async (event: FormEvent) => {
    event.preventDefault();
    const body = { provider_type: "encrypted", ...(password !== "" && { password }) };
    if (await action.run(() => call("setupSecrets", { body }))) onDone();
  };
  return (
    <form className="form" onSubmit={(event) => void setUp(event)}>
      <p>{t("secrets.setupText")}</p>
      <TextField
        label={t("secrets.password")}
        hint={t("secrets.passwordHint")}
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      <Button look="primary" type="submit" isBusy={action.isBusy}>
        {t("secrets.setup")}
      </Button>
      <CommandLine command="thv secret setup" />
    </form>
  );
}
