/** Points in time for people: how long ago on a terminal, and the local time in a pipe, where it can be compared. JSON has them absolute. */
import { formatSpan } from "@toolhive/http/values";
import type { Terminal } from "./terminal.ts";

/** For a cell of a table. */
export function formatTime(timestamp: string, { isOutputTerminal }: Pick<Terminal, "isOutputTerminal">): string {
  return isOutputTerminal ? formatAge(timestamp) : formatLocalTime(timestamp);
}

/** For example `5 minutes ago`, `in 2 hours`. @param now Milliseconds since the epoch. */
export function formatAge(timestamp: string, now: number = Date.now()): string {
  const distance = now - Date.parse(timestamp);
  if (Math.abs(distance) < 1_000) return "now";
  const span = formatSpan(Math.abs(distance));
  return distance > 0 ? `${span} ago` : `in ${span}`;
}

/** For example `2025-07-20 10:04:11 +0200`. */
export function formatLocalTime(timestamp: string): string {
  const date = new Date(timestamp);
  const pad = (value: number, length = 2) => String(Math.abs(value)).padStart(length, "0");
  const offset = -date.getTimezoneOffset();
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  return `${day} ${time} ${offset < 0 ? "-" : "+"}${pad(Math.trunc(offset / 60))}${pad(offset % 60)}`;
}
