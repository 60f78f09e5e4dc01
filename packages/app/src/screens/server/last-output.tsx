import { useQuery } from "@tanstack/react-query";
import { excerptLines } from "@toolhive/core/log-excerpt";
import { call } from "../../api/client.ts";
import { t } from "../../words/messages.ts";

interface LastOutputProps {
  readonly name: string;
  /** Another one when the server has failed again. */
  readonly failure: string;
}

/** What a server wrote before it failed, which is often the reason. */
export function LastOutput({ name, failure }: LastOutputProps) {
  const log = useQuery({
    queryKey: ["last-output", name, failure],
    queryFn: ({ signal }) => call("getWorkloadLogs", { params: { name }, signal }),
    retry: false,
  });
  const lines = excerptLines((log.data ?? "").split("\n"));
  if (lines.length === 0) return null;
  return (
    <section className="last-output">
      <h2>{t("server.lastOutput")}</h2>
      <pre className="source">{lines.join("\n")}</pre>
    </section>
  );
}
