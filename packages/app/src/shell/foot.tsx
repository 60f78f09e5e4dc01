/** What runs, always in sight: whether ToolHive answers, its container engine, its version and its memory. */
import { Link } from "@tanstack/react-router";
import { formatBytes } from "../parts/sizes.ts";
import { useLive } from "../store/live.ts";
import { useSystem } from "../store/system.ts";
import { t } from "../words/messages.ts";

export function Foot() {
  const { connection } = useLive();
  const system = useSystem();
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
          <span className="foot__memory">{t("foot.memory", { size: formatBytes(system.data.memory.rss_bytes) })}</span>
        </>
      )}
    </footer>
  );
}
