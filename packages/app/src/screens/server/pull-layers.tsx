import { formatBytes } from "../../parts/sizes.ts";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";

/** How far the pull of an image is, layer by layer. */
export function PullLayers({ layers }: { readonly layers: NonNullable<Workload["pull"]> }) {
  if (layers.length === 0) return null;
  return (
    <section className="pull" aria-label={t("pull.title")}>
      <h2>{t("pull.title")}</h2>
      <ul>
        {layers.map(({ id, state, current_bytes: current, total_bytes: total }) => (
          <li key={id}>
            <code>{id}</code>
            <progress
              aria-label={id}
              {...(state === "done" ? { value: 1, max: 1 } : total > 0 && { value: current, max: total })}
            />
            <span className="pull__state">
              {state === "downloading" && total > 0
                ? t("pull.of", { current: formatBytes(current), total: formatBytes(total) })
                : t(`pull.${state}`)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
