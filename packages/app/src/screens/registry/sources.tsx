/** Where the entries are from: each source with its date, when it was last read, and why it cannot be. */
import { Moment } from "../../parts/moment.tsx";
import { t } from "../../words/messages.ts";
import { describeSourceDate, type Source } from "./select-entries.ts";

export function Sources({ sources }: { readonly sources: readonly Source[] }) {
  const problems = sources.filter(({ problem, stale_reason: stale }) => (problem ?? stale) !== undefined);
  const isBundledAlone = sources.length === 1 && sources[0]?.type === "default";
  return (
    <>
      <ul className="sources">
        {sources.map((source) => (
          <li key={source.name}>
            <SourceLine source={source} isNamed={sources.length > 1} />
          </li>
        ))}
      </ul>
      {isBundledAlone && <p className="quiet">{t("registry.bundledHint")}</p>}
      {problems.map(({ name, problem, stale_reason: stale = "" }) => (
        <p key={name} className="notice">
          {problem === undefined
            ? t("registry.stale", { reason: stale })
            : t("registry.sourceProblem", { name, reason: problem })}
        </p>
      ))}
    </>
  );
}

interface SourceLineProps {
  readonly source: Source;
  readonly isNamed: boolean;
}

function SourceLine({ source, isNamed }: SourceLineProps) {
  const { name, server_count: count, problem, checked_at: checked } = source;
  const date = describeSourceDate(source);
  return (
    <span className={problem === undefined ? undefined : "sources__failed"}>
      {isNamed && <strong>{name}</strong>}{" "}
      {problem === undefined ? (
        <>
          {t("registry.sourceCount", { count })}
          {date !== "" && `, ${date}`}
          {checked !== undefined && (
            <>
              , {t("registry.checked")} <Moment at={checked} />
            </>
          )}
        </>
      ) : (
        t("registry.unread")
      )}
    </span>
  );
}
