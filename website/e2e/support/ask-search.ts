/** Searches as the modal does, many times in a row. */
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { siteOrigin } from "./site.ts";

const TOO_MANY_REQUESTS = 429;
/** The service limits searches by address, and the browsers of other tests have the usual one. */
const OWN_ADDRESS = process.platform === "linux" ? "127.0.0.2" : undefined;

/** @returns URLs of the hits, the first one first. Waits where the service limits how many searches an address has. */
export async function askSearch(query: string): Promise<string[]> {
  for (;;) {
    const { status, retryAfter, text } = await post(
      JSON.stringify({ requests: [{ indexName: "toolhive", query, hitsPerPage: 20 }] }),
    );
    if (status === TOO_MANY_REQUESTS) {
      await delay(1_000 * Number(retryAfter ?? 1));
      continue;
    }
    if (status !== 200) throw new Error(`The search answered ${status}: ${text}`);
    const { results } = JSON.parse(text) as { results: [{ hits: { url: string }[] }] };
    return results[0].hits.map(({ url }) => url);
  }
}

async function post(body: string): Promise<{ status: number; retryAfter: string | undefined; text: string }> {
  return await new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "x-algolia-application-id": "docs",
      "x-algolia-api-key": "public",
    };
    const options = { method: "POST", headers, ...(OWN_ADDRESS && { localAddress: OWN_ADDRESS }) };
    const sent = request(`${siteOrigin()}/1/indexes/*/queries`, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], text });
      });
    });
    sent.on("error", reject).end(body);
  });
}
