/**
 * The search page's HTTP client: the stock one, pointed at this origin when no hosted application is configured.
 * Also runs while pages are rendered at build time, where there is no window and no request is made.
 */
import { type LiteClient, liteClient as stockLiteClient } from "stock-lite-client";
import { isLocalSearch, rememberFailedHosts, sameOriginHosts } from "./transport.ts";

export function liteClient(appId: string, apiKey: string, options: Record<string, unknown> = {}): LiteClient {
  const isHere = isLocalSearch(appId) && typeof window !== "undefined";
  const client = stockLiteClient(
    appId,
    apiKey,
    isHere ? { ...options, hosts: sameOriginHosts(window.location) } : options,
  );
  rememberFailedHosts(client.transporter);
  return client;
}
