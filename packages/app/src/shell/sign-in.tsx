import { type FormEvent, useState } from "react";
import { keepSession } from "../api/session.ts";
import { Button } from "../parts/button.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { TextField } from "../parts/field.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { t } from "../words/messages.ts";

/** What a browser shows that the API does not know. */
export function SignIn() {
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== "") keepSession(token.trim());
  };
  return (
    <>
      <PageHead title={t("connection.signedOut")} />
      <p>{t("connection.signedOutHint")}</p>
      <CommandLine command="thv ui" />
      <form className="form" onSubmit={submit}>
        <TextField
          label={t("connection.token")}
          hint={t("connection.tokenHint")}
          type="password"
          autoComplete="off"
          value={token}
          onChange={setToken}
        />
        <Button type="submit">{t("connection.signIn")}</Button>
      </form>
    </>
  );
}
