/** The search modal and the search page against the real service on the same origin, and what they show when it fails. */
import type { Request } from "@playwright/test";
import { openSearch, QUERIES } from "./support/search.ts";
import { expect, openPage, test } from "./support/site.ts";

test("typing in the modal finds the quickstart and Enter opens it", async ({ page, observed }) => {
  await openSearch(page, "/");

  await page.keyboard.type("cli quickstart", { delay: 10 });
  // Enter takes what is selected, which changes while the answers to the first letters still come in.
  await expect(page.locator('.DocSearch-Hit[aria-selected="true"]')).toContainText(
    "Run your first MCP server with the CLI",
  );
  await page.keyboard.press("Enter");

  await expect(page).toHaveURL(/\/toolhive\/tutorials\/quickstart-cli/);
  await expect(page.getByRole("searchbox")).toHaveCount(0);
  expect(observed).toEqual({ foreignRequests: [], policyViolations: [], scriptErrors: [] });
});

for (const key of ["Control+k", "Meta+k", "/"]) {
  test(`${key} opens the modal, Escape closes it and focus returns to the button`, async ({ page }) => {
    await openPage(page, "/toolhive/tutorials");

    await page.keyboard.press(key);
    await expect(page.getByRole("dialog", { name: "Search the documentation" })).toBeVisible();
    await page.keyboard.press("Escape");

    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.locator(".DocSearch-Button")).toBeFocused();
  });
}

test("the modal lies over the page in the site's colours", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await openSearch(page);
  await page.keyboard.type("logs");
  await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();

  await expect(page.locator(".DocSearch-Container")).toHaveCSS("position", "fixed");
  const box = await page.locator(".DocSearch-Modal").boundingBox();
  expect(box?.width).toBeLessThanOrEqual(720);
  // The site's paper by day, which is no colour of the stock stylesheet.
  await expect(page.locator(".DocSearch-Modal")).toHaveCSS("background-color", "rgb(251, 250, 247)");
});

test("the button in the navbar looks the same after the modal's stylesheet has arrived", async ({ page }) => {
  await openPage(page, "/toolhive/tutorials");
  const readStyles = () =>
    page.locator(".DocSearch-Button, .DocSearch-Button *").evaluateAll((parts) =>
      parts.map((part) => {
        const { width, height, color, backgroundColor, borderRadius, padding, margin, fontSize } =
          getComputedStyle(part);
        return { width, height, color, backgroundColor, borderRadius, padding, margin, fontSize };
      }),
    );
  const before = await readStyles();

  await page.keyboard.press("/");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.locator("h1").click();

  await expect.poll(readStyles).toEqual(before);
});

test("the modal's code travels only when a reader reaches for the search", async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script") scripts.push(request.url());
  });
  await openPage(page, "/toolhive/tutorials");
  const before = scripts.length;

  await page.locator(".DocSearch-Button").hover();

  await expect.poll(() => scripts.length).toBeGreaterThan(before);
});

test("the request is the one the hosted provider's clients send", async ({ page }) => {
  await openSearch(page);
  const asked = page.waitForRequest(QUERIES);

  await page.keyboard.type("logs");

  const request = await asked;
  const body = JSON.parse(request.postData() ?? "{}") as { requests: Record<string, unknown>[] };
  expect(new URL(request.url()).searchParams.get("x-algolia-application-id")).not.toBeNull();
  expect(body.requests[0]).toMatchObject({
    indexName: "toolhive",
    hitsPerPage: 20,
    highlightPreTag: "<mark>",
    clickAnalytics: true,
  });
  expect(body.requests[0]?.facetFilters).toContainEqual("language:en");
});

test("shown hits are reported as a view event to the same origin", async ({ page }) => {
  const sent = page.waitForRequest("**/1/events*");
  await openSearch(page);

  await page.keyboard.type("logs");

  const request = await sent;
  const { events } = JSON.parse(request.postData() ?? "{}") as {
    events: { objectIDs: string[] }[];
  };
  expect(events[0]).toMatchObject({ eventType: "view", index: "toolhive" });
  expect(events[0]?.objectIDs.length).toBeLessThanOrEqual(20);
});

test("a query without results says so and leads to the way to report it", async ({ page }) => {
  await page.route(QUERIES, (route) =>
    route.fulfill({ json: { results: [{ hits: [], nbHits: 0, nbPages: 0, page: 0, query: "" }] } }),
  );
  await openSearch(page);

  await page.keyboard.type("zzqx");

  await expect(page.locator(".DocSearch-NoResults")).toContainText('No results for "zzqx"');
  await expect(page.locator(".DocSearch-NoResults").getByRole("link")).toHaveAttribute(
    "href",
    "/toolhive/faq#report-a-gap",
  );
});

test("an empty history says so", async ({ page }) => {
  await openSearch(page);

  await expect(page.getByText("No recent searches")).toBeVisible();
});

for (const [fault, respond] of [
  ["cannot be reached", "abort"],
  ["answers 500", 500],
  ["answers 403", 403],
] as const) {
  test(`the modal says that results cannot be fetched when the service ${fault}, and recovers`, async ({ page }) => {
    await page.route(QUERIES, (route) =>
      respond === "abort"
        ? route.abort()
        : route.fulfill({ status: respond, json: { message: "no", status: respond } }),
    );
    await openSearch(page);

    await page.keyboard.type("logs");
    await expect(page.getByText("Unable to fetch results")).toBeVisible();
    await expect(page.getByText("You might want to check your network connection.")).toBeVisible();
    await page.unroute(QUERIES);
    await page.keyboard.type(" ");

    await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();
  });
}

for (const [what, type, shown] of [
  ["the results of what was typed after it", "ogs", ".DocSearch-Hit"],
  ["an emptied input", "", ".DocSearch-StartScreen"],
] as const) {
  test(`a search that fails late does not hide ${what}`, async ({ page }) => {
    let fail = () => {};
    const held = new Promise<void>((resolve) => {
      fail = resolve;
    });
    let failures = 0;
    const isFirst = (request: Request) => request.postData()?.includes('"query":"l"') === true;
    page.on("requestfailed", (request) => {
      if (isFirst(request)) failures += 1;
    });
    await page.route(QUERIES, async (route) => {
      if (!isFirst(route.request())) return await route.continue();
      await held;
      await route.abort();
    });
    await openSearch(page);

    await page.keyboard.type("l");
    if (type === "") await page.keyboard.press("Backspace");
    else await page.keyboard.type(type);
    await expect(page.locator(shown).first()).toBeVisible();
    fail();
    // The client tries once more.
    await expect.poll(() => failures).toBe(2);
    // What the page does about it is drawn by then.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));

    await expect(page.getByText("Unable to fetch results")).toHaveCount(0);
    await expect(page.locator(shown).first()).toBeVisible();
  });
}

test("a modal whose code is slow to come shows a spinner", async ({ page }) => {
  await openPage(page, "/toolhive/tutorials");
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/assets/js/*.js", async (route) => {
    await held;
    await route.continue();
  });

  await page.keyboard.press("/");

  await expect(page.locator(".lazy-module__spinner")).toBeVisible();
  release();
  await expect(page.getByRole("searchbox")).toBeVisible();
  await expect(page.locator(".lazy-module__spinner")).toHaveCount(0);
});

test("a modal whose code cannot be loaded shows the error's text and Retry", async ({ page }) => {
  await openPage(page, "/toolhive/tutorials");
  await page.route("**/assets/js/*.js", (route) => route.abort());

  await page.locator(".DocSearch-Button").click();
  await expect(page.getByRole("alert")).toContainText("The search could not be loaded");
  await page.unroute("**/assets/js/*.js");
  await page.getByRole("button", { name: "Retry" }).click();

  await expect(page.getByRole("dialog", { name: "Search the documentation" })).toBeVisible();
});

test("a recent search is kept under the index's name and offered again", async ({ page }) => {
  await openSearch(page, "/");
  await page.getByRole("searchbox").fill("run your first mcp server");
  await page.locator(".DocSearch-Hit-title", { hasText: "Run your first MCP server" }).first().click();
  await expect(page).toHaveURL(/\/tutorials\/quickstart-/);
  const { pathname } = new URL(page.url());
  // The shortcut closes an open dialog: it opens one again only once the first is gone.
  await expect(page.getByRole("searchbox")).toHaveCount(0);

  await page.keyboard.press("Control+k");

  await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("__DOCSEARCH_RECENT_SEARCHES__toolhive"))).toContain(pathname);
});

test("the modal names the words that no page has, and searches with a similar one", async ({ page }) => {
  await openSearch(page);
  await page.keyboard.type("kuberneticsx logs");

  const status = page.getByRole("dialog").or(page.locator(".DocSearch-Modal")).first();
  await expect(status).toContainText("No page has “kuberneticsx”.");
  await page.getByRole("button", { name: "kubernetes", exact: true }).click();

  await expect(page.getByRole("searchbox")).toHaveValue("kubernetes logs");
  await expect(page.getByText("No page has")).toHaveCount(0);
  await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();
});

test.describe("the search page", () => {
  test("takes over what was built without an error, also when the address has a query", async ({ page, observed }) => {
    await openPage(page, "/search?q=logs");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText('Search results for "logs"');

    expect(observed.scriptErrors).toEqual([]);
  });

  test("shows the query of its address, counts the documents and is not for crawlers", async ({ page }) => {
    await openPage(page, "/search?q=logs");

    await expect(page).toHaveTitle(/Search results for "logs"/);
    await expect(page.getByRole("searchbox")).toHaveValue("logs");
    await expect(page.getByText(/documents? found/)).toBeVisible();
    await expect(page.getByRole("article").first().getByRole("link")).toHaveAttribute("href", /^\/toolhive\//);
    await expect(page.locator('meta[property="robots"]')).toHaveAttribute("content", "noindex, follow");
  });

  test("rewrites the address while the reader types", async ({ page }) => {
    await openPage(page, "/search");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Search the documentation");

    await page.getByRole("searchbox").fill("quickstart");

    await expect(page).toHaveURL("/search?q=quickstart");
    await expect(page.getByRole("article").first()).toBeVisible();
  });

  test("says when nothing was found", async ({ page }) => {
    await openPage(page, "/search?q=zzqxv");

    await expect(page.getByText("No results were found")).toBeVisible();
    await expect(page.getByRole("link", { name: "Tell us" })).toHaveAttribute("href", "/toolhive/faq#report-a-gap");
  });

  test("says to a query in another language that the pages are in English", async ({ page }) => {
    await openPage(page, "/search?q=wie%20starte%20ich%20einen%20server");

    await expect(page.getByRole("status").filter({ hasText: "These pages are in English." })).toBeVisible();
    await expect(page.getByText("No page has")).toHaveCount(0);
  });

  test("names the words that no page has, and searches with a similar one", async ({ page }) => {
    await openPage(page, "/search?q=kuberneticsx%20logs");

    const status = page.getByRole("status").filter({ hasText: "No page has" });
    await expect(status).toContainText("No page has “kuberneticsx”.");
    await status.getByRole("button", { name: "kubernetes" }).click();

    await expect(page.getByRole("searchbox")).toHaveValue("kubernetes logs");
    await expect(page.getByText("No page has")).toHaveCount(0);
    await expect(page.getByRole("article").first()).toBeVisible();
  });

  test("names the page of a section once, after the sections above it", async ({ page }) => {
    await openPage(page, "/search?q=thv.lock+lock+the+images");
    const trails = page.getByRole("article").getByRole("list", { name: "Where it is" });
    await expect(trails.first()).toBeVisible();

    const names = await trails.evaluateAll((all) =>
      all.map((trail) => [...trail.children].flatMap((part) => (part.textContent ?? "").split(" / "))),
    );

    expect(names.filter((parts) => new Set(parts).size < parts.length)).toEqual([]);
  });

  test("reports in our own words that the service is away, and keeps the cause for the console", async ({ page }) => {
    const causes: string[] = [];
    page.on("console", (message) => causes.push(message.text()));
    await page.route(QUERIES, (route) => route.abort());
    await openPage(page, "/search?q=logs");

    await expect(page.getByRole("alert")).toContainText("The search of this site did not answer");

    await expect(page.getByRole("alert")).not.toContainText(/algolia|alg\.li|application id/i);
    expect(causes.join("\n")).toContain("Unreachable hosts");
  });

  test("offers Retry when the service fails", async ({ page }) => {
    await page.route(QUERIES, (route) => route.fulfill({ status: 503, json: { message: "loading", status: 503 } }));
    await openPage(page, "/search?q=logs");
    await expect(page.getByRole("alert")).toContainText("Unable to fetch results");

    await page.unroute(QUERIES);
    await page.getByRole("button", { name: "Retry" }).click();

    await expect(page.getByRole("article").first()).toBeVisible();
  });
});
