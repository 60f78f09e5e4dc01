/** The search under faults: a service that dies, hostile texts, two tabs, no storage, missing settings. */

import { endOwnServers, startServer } from "./support/own-server.ts";
import { answerSearches, openSearch, stubHit } from "./support/search.ts";
import { expect, openPage, test } from "./support/site.ts";

test.afterEach(endOwnServers);

test("a service that is killed while a reader types is reported, and searched again when it is back", async ({
  page,
}) => {
  const server = await startServer();
  await openSearch(page, `${server.origin}/toolhive/tutorials`);
  await page.keyboard.type("lo");
  await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();

  await server.kill();
  await page.keyboard.type("g");
  await expect(page.getByText("Unable to fetch results")).toBeVisible();
  await expect(page.getByRole("searchbox")).toHaveValue("log");
  await startServer({ PORT: new URL(server.origin).port });
  await page.keyboard.type("s");

  await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();
});

for (const [name, query] of [
  ["markup", `<img src=x onerror="window.hacked=1">`],
  ["a script", "<script>window.hacked=1</script> secrets"],
  ["emoji", "👩‍💻🚀"],
  ["right-to-left text", "‮أسرار סוד"],
  ["control characters", "sec\u0007rets\u001b[31m"],
  ["only stop words", "how to the and"],
  ["dashes", "--secret -f ---"],
  ["quotes", `"unclosed 'quote"`],
  ["one letter", "s"],
  ["8,000 letters, nearly all that an address may have", "x".repeat(8_000)],
] as const) {
  test(`a query of ${name} is answered, and nothing in it runs`, async ({ page, observed }) => {
    await openSearch(page);
    const answered = page.waitForResponse("**/1/indexes/*/queries*");

    await page.keyboard.insertText(query);

    expect((await answered).status()).toBe(200);
    await expect(page.locator(".DocSearch-Hit, .DocSearch-NoResults").first()).toBeVisible();
    await openPage(page, `/search?q=${encodeURIComponent(query)}`);
    await expect(page.getByRole("article").or(page.getByText("No results were found")).first()).toBeVisible();
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(observed).toEqual({ foreignRequests: [], policyViolations: [], scriptErrors: [] });
  });
}

test("while a cluster of OpenSearch does not answer, the site's own index does, and the log says so", async ({
  page,
}) => {
  // Nothing listens on the first port of all.
  const server = await startServer({ SEARCH_OPENSEARCH_URLS: "http://127.0.0.1:1" });
  const answered = page.waitForResponse("**/1/indexes/*/queries*");
  await openSearch(page, `${server.origin}/toolhive/tutorials`);

  await page.keyboard.type("logs");

  await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();
  expect((await (await answered).json()).results[0].fallback).toBe(true);
  expect(await server.stop()).toContain("search engine does not answer, our own index does");
});

for (const [name, value, message] of [
  ["SEARCH_OPENSEARCH_URLS", "user:secret@nowhere", '"nowhere" is not an address of OpenSearch'],
  ["SEARCH_OPENSEARCH_ALIAS", "My Index", 'SEARCH_OPENSEARCH_ALIAS is "My Index": use lower-case letters'],
] as const) {
  test(`a server with an unusable ${name} says so and does not start`, async () => {
    const start = startServer({ SEARCH_OPENSEARCH_URLS: "http://127.0.0.1:1", [name]: value });

    await expect(start).rejects.toThrow(message);
    await expect(start).rejects.not.toThrow("secret");
  });
}

test("a handler in the answer of a service that was taken over does not run: the policy forbids it", async ({
  page,
  observed,
}) => {
  const evil = stubHit("evil");
  const title = `Evil <img src="x" onerror="window.hacked=1">`;
  await answerSearches(page, () => [{ ...evil, hierarchy: { ...evil.hierarchy, lvl1: title } }]);
  await openSearch(page);

  await page.keyboard.type("x");

  await expect(page.locator(".DocSearch-Hit")).toContainText("Evil");
  await expect.poll(() => observed.policyViolations.length).toBeGreaterThan(0);
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
});

test("a search chosen in one tab is offered in another", async ({ page, context }) => {
  await answerSearches(page, () => [stubHit("first"), stubHit("second")]);
  const other = await context.newPage();
  await openPage(other, "/toolhive/faq");
  await openSearch(page);
  await page.keyboard.type("x");
  await expect(page.locator(".DocSearch-Hit")).toHaveCount(2);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#first$/);

  await other.keyboard.press("/");

  await expect(other.locator(".DocSearch-Hit")).toHaveText(/Page first/);
});

test("with blocked local storage searching works, and nothing is remembered", async ({ page, observed }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  await openSearch(page);
  await expect(page.getByText("No recent searches")).toBeVisible();

  await page.keyboard.type("secrets");
  await expect(page.locator('.DocSearch-Hit[aria-selected="true"]')).toContainText(/secrets/i);
  await page.keyboard.press("Enter");

  await expect(page).toHaveURL(/secret/);
  expect(observed.scriptErrors).toEqual([]);
});

for (const [name, setting] of [
  ["appId", 'appId:"TOOLHIVE"'],
  ["apiKey", 'apiKey:"same-origin"'],
] as const) {
  test(`a site that was built without ${name} says that it is missing`, async ({ page }) => {
    await page.route("**/assets/js/main.*.js", async (route) => {
      const response = await route.fetch();
      const script = await response.text();
      expect(script).toContain(setting);
      await route.fulfill({ response, body: script.replaceAll(setting, `${name}:""`) });
    });
    await openPage(page, "/toolhive/tutorials");

    await page.keyboard.press("/");

    await expect(page.getByText(`\`${name}\` is missing.`)).toBeVisible();
  });
}
