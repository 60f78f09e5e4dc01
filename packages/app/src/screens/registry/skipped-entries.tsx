/** The entries of the registry that cannot be used. They are read when somebody wants to see them: the answer has the whole list. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";

export function SkippedEntries({ source, count }: { readonly source: string; readonly count: number }) {
  const [isOpen, setOpen] = useState(false);
  const found = useQuery({
    queryKey: ["registry", "skipped", source],
    queryFn: () => call("getRegistry", { params: { name: source } }),
    enabled: isOpen,
  });
  const skipped = found.data?.skipped ?? [];
  return (
    <details className="more skipped" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{count === 1 ? t("registry.skippedOne") : t("registry.skipped", { count })}</summary>
      {found.error !== null && <ProblemView problem={toProblem(found.error)} onRetry={() => void found.refetch()} />}
      {found.isLoading && <p className="quiet">{t("app.loading")}</p>}
      <ul>
        {[...new Set(skipped.map(({ name, reason }) => `${name}: ${reason}`))].map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      {found.data !== undefined && skipped.length < count && (
        <p className="quiet">{t("registry.skippedFirst", { count: skipped.length })}</p>
      )}
      <CommandLine
        command={
          source === "default" ? "thv registry list --skipped" : `thv registry list --skipped --source ${source}`
        }
      />
    </details>
  );
}
