/** What runs, always in sight: whether ToolHive answers, its container engine, its version and its memory. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import { formatBytes } from "../parts/sizes.ts";
import { useLive } from "../store/live.ts";
import { t } from "../words/messages.ts";

/** Milliseconds between two looks; a hidden page does not look. */
const INTERVAL_MS = 60_000;

export function Foot() {
  const { connection } = useLive();
  const system = useQuery({
    queryKey: ["system"],
    queryFn: () => call("getSystem"),
    enabled: connection === "live",
    refetchInterval: INTERVAL_MS,
  });
  const isKnown = connection === "live" && system.data !== undefined;
  return (
    <footer className="foot">
      <span className={`foot__connection foot__connection--${connection}`}>
        {t(connection === "signed-out" ? "connection.signedOut" : `connection.${connection}`)}
      </span>
      {isKnown && (
        <>
          {system.data.engine === undefined ? (
            <Link to="/doctor" className="foot__trouble">
              {t("foot.noEngine")}
            </Link>
          ) : (
            <span>
              {t(`foot.${system.data.engine.kind}`)} {system.data.engine.version}
            </span>
          )}
          <span>
            {system.data.product} {system.data.version}
          </span>
          <span className="foot__memory">{formatBytes(system.data.memory.rss_bytes)}</span>
        </>
      )}
    </footer>
  );
}
