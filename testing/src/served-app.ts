/** Whether a form of thv carries its web application and serves it. */
import { expect } from "vitest";

/** @param printed What `thv ui --no-browser --format json` printed. */
export async function expectServedApp(printed: string): Promise<void> {
  const { address } = JSON.parse(printed) as { address: string };
  const page = await fetch(address, { headers: { accept: "text/html" } });
  const html = await page.text();
  expect([page.status, html]).toEqual([200, expect.stringContaining("<title>ToolHive</title>")]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");

  const [script = "nothing"] = /\/assets\/[\w.-]+\.js/.exec(html) ?? [];
  const answer = await fetch(new URL(script, address));
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, expect.stringContaining("immutable")]);
  expect((await answer.text()).length).toBeGreaterThan(10_000);
}
