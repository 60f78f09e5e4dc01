import { useQuery } from "@tanstack/react-query";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";

type Finding = OperationAnswer<"runDoctor">["findings"][number];

const ORDER: Record<Finding["status"], number> = { fail: 0, warn: 1, ok: 2 };
const SHAPES: Record<Finding["status"], string> = {
  fail: "M8 2.5 14 13H2z",
  warn: "M8 2 14 8l-6 6-6-6z",
  ok: "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z",
};

export function Doctor() {
  const report = useQuery({ queryKey: ["doctor"], queryFn: () => call("runDoctor") });
  const findings = [...(report.data?.findings ?? [])].sort((a, b) => ORDER[a.status] - ORDER[b.status]);
  const count = findings.filter(({ status }) => status !== "ok").length;
  return (
    <>
      <PageHead title={t("doctor.title")}>
        <CopyButton text={toText(findings)} />
        <Button isBusy={report.isFetching} onClick={() => void report.refetch()}>
          {t(report.isFetching ? "doctor.looking" : "doctor.again")}
        </Button>
      </PageHead>
      <p className="lead">{t("doctor.intro")}</p>
      {report.error !== null && <ProblemView problem={toProblem(report.error)} onRetry={() => void report.refetch()} />}
      {report.data !== undefined && (
        <p role="status">{count === 0 ? t("doctor.fine") : t("doctor.found", { count })}</p>
      )}
      <ul className="rows findings">
        {findings.map((each) => (
          <FindingRow key={`${each.check} ${each.message}`} finding={each} />
        ))}
      </ul>
      <CommandLine command="thv doctor" />
    </>
  );
}

function FindingRow({ finding: { check, status, message, fix } }: { readonly finding: Finding }) {
  return (
    <li className="row finding">
      <span className={`status finding__status finding__status--${status}`}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={SHAPES[status]} />
        </svg>
        {t(`doctor.${status}`)}
      </span>
      <div className="finding__text">
        <code>{check}</code>
        <p>{message}</p>
        {fix !== undefined && <p className="finding__fix">{fix}</p>}
      </div>
    </li>
  );
}

/** A text for people who help the user. */
function toText(findings: readonly Finding[]): string {
  return findings
    .map(({ check, status, message, fix }) => `${status}\t${check}\t${message}${fix === undefined ? "" : `\t${fix}`}\n`)
    .join("");
}
