/** Tools that differ from what was recorded: line by line, with what is odd about them, and the way to accept them as shown. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { quoteWord } from "@toolhive/http/values";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { FileChangeView } from "../clients/file-change.tsx";
import { type Pins, showHidden, type ToolDifference, toAccepted, toTexts } from "./pin-texts.ts";

/** More are accepted in parts. */
const MAX_SHOWN = 20;

export function ChangedTools({ workload }: { readonly workload: Workload }) {
  const { name, created_at: version, tool_differences: count } = workload;
  const queries = useQueryClient();
  const action = useAction();
  const read = useQuery({
    queryKey: ["tool-pins", name, version, count],
    queryFn: ({ signal }) => call("getToolPins", { params: { name }, signal }),
    retry: false,
  });
  if (read.error !== null) return <ProblemView problem={toProblem(read.error)} onRetry={() => void read.refetch()} />;
  if (read.data === undefined || read.data.differences.length === 0) return null;
  const { differences } = read.data;
  const shown = differences.slice(0, MAX_SHOWN);
  const accept = async (tools: readonly ToolDifference[]) => {
    await action.run(() => call("acceptTools", { params: { name }, body: { tools: toAccepted(tools) } }));
    // Also when it was refused: a tool has changed once more since it was shown.
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["tool-pins", name] }),
      queries.invalidateQueries({ queryKey: ["offers", name] }),
    ]);
  };
  return (
    <section className="notice pins" aria-label={t("pins.title")}>
      <h2>{t("pins.title")}</h2>
      <p>{t(read.data.changed_tools === "allow" ? "pins.textAllowed" : "pins.text")}</p>
      {shown.map((difference) => (
        <Difference
          key={difference.name}
          difference={difference}
          warnings={read.data.warnings.filter(({ tool }) => tool === difference.name)}
          isBusy={action.isBusy}
          onAccept={() => void accept([difference])}
        />
      ))}
      {differences.length > shown.length && (
        <p className="quiet">{t("pins.more", { count: differences.length - shown.length })}</p>
      )}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      {shown.length > 1 && (
        <Button isBusy={action.isBusy} onClick={() => void accept(shown)}>
          {t("pins.acceptAll", { count: shown.length })}
        </Button>
      )}
      <CommandLine command={`thv tools accept ${quoteWord(name)}`} />
    </section>
  );
}

interface DifferenceProps {
  readonly difference: ToolDifference;
  readonly warnings: Pins["warnings"];
  readonly isBusy: boolean;
  readonly onAccept: () => void;
}

function Difference({ difference, warnings, isBusy, onAccept }: DifferenceProps) {
  const { name, kind, sha256 } = difference;
  return (
    <div className="pins__tool">
      <FileChangeView change={toTexts(difference)} />
      {warnings.length > 0 && (
        <ul className="pins__warnings">
          {warnings.map(({ kind: each, message }) => (
            <li key={`${each} ${message}`}>
              <strong>{t(`pins.warning.${each}`)}</strong> {message}
            </li>
          ))}
        </ul>
      )}
      {(sha256 !== undefined || kind === "removed") && (
        <Button isBusy={isBusy} aria-label={t("pins.acceptOne", { name: showHidden(name) })} onClick={onAccept}>
          {t("pins.accept")}
        </Button>
      )}
    </div>
  );
}
