import { useEffect, useState } from "react";

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];
/** Milliseconds between two updates. */
const TICK_MS = 10_000;

/** @param at Milliseconds since 1970. @param now The same. @returns For example `3 minutes ago`. */
export function describeMoment(at: number, now: number): string {
  const past = Math.max(0, now - at);
  const [unit, size] = UNITS.find(([, each]) => past >= each) ?? ["second", 1_000];
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.floor(past / size), unit);
}

/** How long ago something was; the exact time stands in its title. @param at ISO 8601, or milliseconds since 1970. */
export function Moment({ at }: { readonly at: string | number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {describeMoment(date.getTime(), now)}
    </time>
  );
}
