import { Listeners } from "@toolhive/http/listeners";
import { useSyncExternalStore } from "react";

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];
/** Days after which a date says more than their number. */
const MAX_DAYS = 60;
/** Milliseconds between two updates. */
const TICK_MS = 10_000;

/**
 * @param at Milliseconds since 1970.
 * @param now The same.
 * @param mayBeAhead Whether it is a moment of the future; else one that is ahead is now, on a clock that differs.
 * @returns For example `3 minutes ago`, or `in 3 minutes`; `18 July 2025` for what is far.
 */
export function describeMoment(at: number, now: number, mayBeAhead = false): string {
  const past = mayBeAhead ? now - at : Math.max(0, now - at);
  if (Math.abs(past) > MAX_DAYS * 86_400_000) return new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(at);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(past) >= each) ?? ["second", 1_000];
  const count = Math.floor(Math.abs(past) / size);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(past < 0 ? count : -count, unit);
}

/** One clock for all, so that two moments of a page are as far apart as they were. */
const clock = { now: Date.now(), listeners: new Listeners(), timer: undefined as number | undefined };

function tick(): void {
  clock.now = Date.now();
  clock.listeners.notify();
}

function follow(listener: () => void): () => void {
  const leave = clock.listeners.add(listener);
  clock.timer ??= window.setInterval(tick, TICK_MS);
  tick();
  return () => {
    leave();
    if (clock.listeners.size > 0) return;
    window.clearInterval(clock.timer);
    clock.timer = undefined;
  };
}

function readClock(): number {
  return clock.now;
}

interface MomentProps {
  /** ISO 8601, or milliseconds since 1970. */
  readonly at: string | number;
  /** Default: false. */
  readonly mayBeAhead?: boolean;
}

/** How long ago something was, or how far ahead it is; the exact time is in its title. */
export function Moment({ at, mayBeAhead = false }: MomentProps) {
  const now = useSyncExternalStore(follow, readClock);
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {describeMoment(date.getTime(), now, mayBeAhead)}
    </time>
  );
}
