import { ApiProblem } from "../api/client.ts";
import { useDocs } from "../store/system.ts";
import { t } from "../words/messages.ts";
import { Button } from "./button.tsx";

export interface Problem {
  readonly message: string;
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  readonly docs?: string | undefined;
  readonly problems?: readonly string[] | undefined;
  /** What each of them is about, as JSON pointers into the request. */
  readonly pointers?: readonly string[] | undefined;
}

export function toProblem(error: unknown): Problem {
  if (!(error instanceof ApiProblem)) return { message: error instanceof Error ? error.message : String(error) };
  const { message, code, hint, docs, problems, pointers } = error;
  return { message, code, hint, docs, problems, pointers };
}

/** What went wrong, what to do next, and the page that explains it. */
export function ProblemView({ problem, onRetry }: { readonly problem: Problem; readonly onRetry?: () => void }) {
  const { message, code, hint, docs, problems = [] } = problem;
  return (
    <div className="problem" role="alert">
      <p className="problem__message">{message}</p>
      {problems.length > 1 && (
        <ul>
          {problems.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      {hint !== undefined && <p>{hint}</p>}
      <p className="problem__foot">
        {onRetry !== undefined && <Button onClick={onRetry}>{t("action.retry")}</Button>}
        {code !== undefined && code !== "" && <CodeLink code={code} docs={docs} />}
      </p>
    </div>
  );
}

function CodeLink({ code, docs }: { readonly code: string; readonly docs: string | undefined }) {
  const locate = useDocs();
  const address = docs === undefined ? undefined : locate(docs);
  if (address === undefined) return <code>thv help {code}</code>;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {t("action.learn", { code })}
    </a>
  );
}
