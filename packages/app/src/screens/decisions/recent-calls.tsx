import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { Moment } from "../../parts/moment.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";

/** Milliseconds between two requests: no event announces a call. */
const LOOK_MS = 3_000;

/** The latest calls with their callers, and whether they were allowed. */
export function RecentCalls({ name }: { readonly name: string }) {
  const listed = useQuery({
    queryKey: ["recent-calls", name],
    queryFn: ({ signal }) => call("listRecentCalls", { params: { name }, signal }),
    refetchInterval: LOOK_MS,
    retry: false,
  });
  const { is_kept: isKept = false, calls = [] } = listed.data ?? {};
  return (
    <section className="panel">
      <h2>{t("decisions.calls")}</h2>
      {listed.error !== null && <ProblemView problem={toProblem(listed.error)} />}
      {listed.isPending ? (
        <p className="quiet">{t("app.loading")}</p>
      ) : calls.length === 0 ? (
        <p className="quiet">{t(isKept ? "decisions.noCalls" : "decisions.notKept")}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways can be scrolled with the keyboard.
        <section className="scroll-x" tabIndex={0} aria-label={t("decisions.calls")}>
          <table className="calls">
            <thead>
              <tr>
                <th>{t("decisions.when")}</th>
                <th>{t("decisions.caller")}</th>
                <th>{t("decisions.call")}</th>
                <th>{t("decisions.outcome")}</th>
                <th>{t("decisions.took")}</th>
              </tr>
            </thead>
            <tbody>
              {calls.map((each) => (
                <tr key={each.id}>
                  <td>
                    <Moment at={each.at} />
                  </td>
                  <td>{each.caller}</td>
                  <td>
                    <code>{each.target === undefined ? each.method : `${each.method} ${each.target}`}</code>
                  </td>
                  <td className={`outcome outcome--${each.outcome}`}>{t(`decisions.outcome.${each.outcome}`)}</td>
                  <td>{t("decisions.ms", { count: each.ms })}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
