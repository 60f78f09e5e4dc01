/** Calls of each day as bars: a shape for the eye, and its numbers as a sentence. */
import { t } from "../../words/messages.ts";

const BAR = 3;
const GAP = 1;
const HEIGHT = 24;
/** Of a day with calls, however few they are beside those of other days. */
const LEAST_HEIGHT = 3;

interface SparklineProps {
  /** Calls of each day, the oldest first. */
  readonly days: readonly number[];
  readonly size?: "small" | "large";
}

export function Sparkline({ days, size = "small" }: SparklineProps) {
  const most = Math.max(...days, 1);
  const total = days.reduce((sum, calls) => sum + calls, 0);
  const label = t("usage.sparkline", { calls: total, days: days.length, most: Math.max(...days, 0) });
  return (
    <svg
      className={`sparkline sparkline--${size}`}
      viewBox={`0 0 ${days.length * (BAR + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {days.map((calls, index) => {
        const height = calls === 0 ? 1 : Math.max(LEAST_HEIGHT, (calls / most) * HEIGHT);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place.
            key={index}
            className={calls === 0 ? "sparkline__none" : undefined}
            x={index * (BAR + GAP)}
            y={HEIGHT - height}
            width={BAR}
            height={height}
          />
        );
      })}
    </svg>
  );
}
