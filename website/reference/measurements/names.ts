/** How figures and targets are written in the tables of measurements. */
import { PROXY_BENCH_RESULTS as proxy } from "@toolhive/proxy/facts/results";

export const PROXIES = ["bare", "ours", "supergateway", "mcp-proxy"] as const;
export const COLUMNS = ["direct", ...PROXIES] as const;

export function nameTarget(target: (typeof COLUMNS)[number]): string {
  if (target === "direct") return "No proxy";
  if (target === "bare") return "Bare bridge";
  return target === "ours" ? "ToolHive" : `${target} ${proxy.peers[target]}`;
}

/** Three digits. */
export function round(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}
