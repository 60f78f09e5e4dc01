import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";

interface StaleUsersProps {
  /** Of the secret whose value has changed. */
  readonly name: string;
  /** Running servers that still have the old value. */
  readonly users: readonly string[];
  readonly onClose: () => void;
}

/** A server reads a secret when it starts: what still has the old value can be started again. */
export function StaleUsers({ name, users, onClose }: StaleUsersProps) {
  const action = useAction();
  const restart = async () => {
    if (await action.run(() => call("restartWorkloads", { body: { names: [...users] } }))) onClose();
  };
  return (
    <section className="notice" aria-label={t("secrets.stale", { name })}>
      <p role="status">
        {t("secrets.stale", { name })} {t("secrets.staleUsers", { users: users.join(", ") })}
      </p>
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      <div className="notice__actions">
        <Button look="primary" isBusy={action.isBusy} onClick={() => void restart()}>
          {t(users.length === 1 ? "secrets.restartOne" : "secrets.restartAll", { count: users.length })}
        </Button>
        <Button onClick={onClose}>{t("secrets.later")}</Button>
      </div>
      <CommandLine command={`thv restart ${users.join(" ")}`} />
    </section>
  );
}
