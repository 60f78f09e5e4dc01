/**
 * The stock client with an application of the hosted provider, against doubles of its hosts: the page's bundle gets an
 * application id on its way, as a build with one in the brand file would have.
 */
import type { Page } from "@playwright/test";
import { openSearch } from "./support/search.ts";
import { expect, test } from "./support/site.ts";

const FIRST_HOST = "https://hosted-dsn.algolia.net/**";
const OTHER_HOSTS = /^https:\/\/hosted-[123]\.algolianet\.com\//;

/** The real site's policy names no host of the provider, because it has no application. */
test.use({ bypassCSP: true });

async function giveApplication(page: Page): Promise<void> {
  await page.route("**/assets/js/main.*.js", async (route) => {
    const response = await route.fetch();
    const script = (await response.text()).replaceAll('appId:"TOOLHIVE"', 'appId:"HOSTED"');
    await route.fulfill({ response, body: script });
  });
  await page.route("https://insights.algolia.io/**", (route) => route.fulfill({ json: { status: 200 } }));
}

interface Doubles {
  /** Host names in the order they were asked. */
  readonly asked: string[];
  firstHost: "answers" | "fails" | "is silent";
}

/** Stands in for the provider's hosts; answers come from the site's own service. */
async function standIn(page: Page, firstHost: Doubles["firstHost"]): Promise<Doubles> {
  const doubles: Doubles = { asked: [], firstHost };
  await giveApplication(page);
  const answer = { hits: [], nbHits: 0, nbPages: 0, page: 0, hitsPerPage: 20, query: "" };
  const respond = { json: { results: [answer] }, headers: { "access-control-allow-origin": "*" } };
  await page.route(FIRST_HOST, (route) => {
    doubles.asked.push(new URL(route.request().url()).hostname);
    if (doubles.firstHost === "answers") return route.fulfill(respond);
    // A route that is never answered is a host that never sends a byte.
    return doubles.firstHost === "fails" ? route.abort() : undefined;
  });
  await page.route(OTHER_HOSTS, (route) => {
    doubles.asked.push(new URL(route.request().url()).hostname);
    return route.fulfill(respond);
  });
  return doubles;
}

test("with an application of its own the site asks the hosted provider, and not its own service", async ({ page }) => {
  const doubles = await standIn(page, "answers");
  const own: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/1/") && request.url().startsWith("http://127.0.0.1"))
      own.push(request.url());
  });
  await openSearch(page);

  await page.keyboard.type("zq");

  await expect(page.locator(".DocSearch-NoResults")).toContainText('No results for "zq"');
  expect(new Set(doubles.asked)).toEqual(new Set(["hosted-dsn.algolia.net"]));
  expect(own).toEqual([]);
});

test("a host that failed is avoided for two minutes, and then asked first again", async ({ page }) => {
  await page.clock.install();
  const doubles = await standIn(page, "fails");
  await openSearch(page);
  await page.keyboard.type("z");
  await expect(page.locator(".DocSearch-NoResults")).toContainText('No results for "z"');
  expect(doubles.asked).toHaveLength(2);

  await page.keyboard.type("q");
  await expect(page.locator(".DocSearch-NoResults")).toContainText('No results for "zq"');
  await page.clock.fastForward(110_000);
  await page.keyboard.type("x");
  await expect(page.locator(".DocSearch-NoResults")).toContainText('No results for "zqx"');
  expect(doubles.asked.filter((host) => host === "hosted-dsn.algolia.net")).toHaveLength(1);
  doubles.firstHost = "answers";
  await page.clock.fastForward(15_000);
  await page.keyboard.type("v");

  await expect(page.locator(".DocSearch-NoResults")).toContainText('No results for "zqxv"');
  expect(doubles.asked.at(-1)).toBe("hosted-dsn.algolia.net");
});

test("a host that is silent for one second is left for the next one", async ({ page }) => {
  await page.clock.install();
  const doubles = await standIn(page, "is silent");
  await openSearch(page);
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));

  await page.keyboard.type("z");
  await expect.poll(() => doubles.asked).toEqual(["hosted-dsn.algolia.net"]);
  await page.clock.runFor(999);
  expect(doubles.asked).toHaveLength(1);
  await page.clock.runFor(1);

  await expect.poll(() => doubles.asked).toHaveLength(2);
  expect(doubles.asked[1]).toMatch(/^hosted-[123]\.algolianet\.com$/);
});
