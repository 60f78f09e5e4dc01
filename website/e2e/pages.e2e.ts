/** What a reader meets first: home, quickstart, the page that is missing, and reading without scripts. */
import type { Page } from "@playwright/test";
import { expect, openPage, siteOrigin, test } from "./support/site.ts";

const QUICKSTART = "/toolhive/tutorials/quickstart-cli";

test("the home page says what the product is and leads to the quickstart", async ({ page, observed }) => {
  await openPage(page, "/");

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Simple and secure AI tools");
  await page.getByRole("link", { name: "Start your first server" }).click();
  await expect(page).toHaveURL(QUICKSTART);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Run your first MCP server with the CLI");
  expect(observed).toEqual({ foreignRequests: [], policyViolations: [], scriptErrors: [] });
});

test("the quickstart shows its first command within the first screen and copies it without a prompt", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPage(page, QUICKSTART);

  const block = page.locator(".code-fence--command", { hasText: "thv version" });
  await expect(page.locator(".code-fence--command").first()).toBeInViewport();
  await block.hover();
  await block.getByRole("button").click();

  await expect(block.getByRole("button")).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("thv version");
});

test("an unknown address answers 404 with the page that helps", async ({ page }) => {
  const response = await page.goto("/toolhive/guides-cli/no_such-guide");

  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page Not Found");
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  await expect(page.getByLabel("Search the documentation")).toHaveValue("guides cli no such guide");
  await expect(page.getByRole("main").getByRole("link").first()).toHaveAttribute("href", /^\//);
});

test("on a phone what an option means stands whole beside its name", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await openPage(page, "/toolhive/reference/cli/thv_run");
  const row = page.getByRole("row").filter({ has: page.locator("#option-permission-profile") });

  const meaning = row.getByRole("cell").nth(1);
  await expect(meaning).toContainText("Permissions outside the container");
  const box = await meaning.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(360);
});

test("on a phone what an argument means stands beside its name", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await openPage(page, "/toolhive/reference/cli/thv_run");
  const row = page.getByRole("row").filter({ hasText: "SERVER_OR_IMAGE_OR_PACKAGE" });

  const meaning = row.getByRole("cell").nth(1);
  await expect(meaning).toContainText("registry");
  const box = await meaning.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(360);
});

test("a fenced block holds highlighted tokens", async ({ page }) => {
  await page.goto(QUICKSTART);

  expect(await page.locator(".language-bash .token").count()).toBeGreaterThan(3);
});

/** What the page's head says, without the order of its tags; with an address, that of the file which the build made for it. */
const describeHead = (page: Page, fileAt?: string) =>
  page.evaluate(async (address) => {
    const shown =
      address === undefined
        ? document
        : new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
    return {
      title: shown.title,
      language: shown.documentElement.lang,
      classes: shown.documentElement.className.split(" ").sort(),
      // The banner for a wrong base address is in the file alone: where scripts run, it has nothing to report. The title is
      // above; the framework takes its mark away in the browser. Only the search reads the questions, and only in the file.
      tags: [...shown.head.querySelectorAll("[data-rh]:not(title, script:not([type]), [name='docsearch:questions'])")]
        .map((tag) => [
          tag.localName,
          ...[...tag.attributes].map(({ name, value }) => `${name}=${value}`).sort(),
          // The build also orders the members of structured data.
          [...(tag.textContent ?? "")].sort().join(""),
        ])
        .map((parts) => parts.join(" "))
        .sort(),
    };
  }, fileAt);

for (const address of ["/toolhive/guides-cli/run-mcp-servers", "/theme-preview", "/"]) {
  test(`the head of ${address} is that of the build for who starts there and for who comes from another page`, async ({
    page,
  }) => {
    await openPage(page, address);
    const ofBuild = await describeHead(page, address);
    expect(ofBuild.tags.length).toBeGreaterThan(15);
    expect(await describeHead(page)).toEqual(ofBuild);

    await openPage(page, QUICKSTART);
    await page.evaluate((to) => {
      document.body.setAttribute("data-marker", "never reloaded");
      history.pushState({ key: "abcdef" }, "", to);
      dispatchEvent(new PopStateEvent("popstate", { state: { key: "abcdef" } }));
    }, address);

    await expect.poll(() => describeHead(page)).toEqual(ofBuild);
    await expect(page.locator("body")).toHaveAttribute("data-marker", "never reloaded");
  });
}

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("text, sidebar, contents and code are readable", async ({ page }) => {
    await page.goto(QUICKSTART);

    await expect(page.getByRole("heading", { name: "Start a server" })).toBeVisible();
    await expect(page.getByText("thv run --name everything")).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Docs sidebar" }).getByRole("link").first()).toBeVisible();
    await page.getByRole("link", { name: "Tutorials", exact: true }).first().click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Tutorials");
  });

  test("the system's dark preference is followed", async ({ page }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(QUICKSTART);

    await expect(page.locator("html")).toHaveCSS("background-color", "rgb(18, 20, 22)");
  });
});

test("a block of bash, json, powershell, docker and lua holds highlighted tokens", async ({ page }) => {
  await openPage(page, "/theme-preview");

  for (const language of ["bash", "json", "powershell", "docker", "lua"]) {
    expect(await page.locator(`.language-${language} .token`).count(), language).toBeGreaterThan(1);
  }
});

test("the API reference and its file hold every operation of the document", async ({ page, request }) => {
  const file = await (await request.get("/api-specs/toolhive-api.yaml")).text();
  const operations = [...file.matchAll(/^ +operationId: (\S+)$/gm)].map(([, id]) => id ?? "");

  await openPage(page, "/toolhive/reference/api");
  const addresses = await page
    .locator("main span[id] > a")
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname));
  const found: string[] = [];
  for (const address of new Set(addresses)) {
    await openPage(page, address);
    found.push(...(await page.locator("article h2[id]").evaluateAll((headings) => headings.map(({ id }) => id))));
  }

  expect(operations.length).toBeGreaterThan(30);
  expect(found).toEqual(expect.arrayContaining(operations));
});

for (const [anchor, target] of [
  ["createGroup", "/toolhive/reference/api/groups#createGroup"],
  ["schema-createworkloadrequest", "/toolhive/reference/api/workload-request#schema-createworkloadrequest"],
  ["tag-secrets", "/toolhive/reference/api/secrets"],
  ["schema-problem", "/toolhive/reference/api#schema-problem"],
  ["mcpserverspec", "/toolhive/reference/crd-spec/mcpserver#mcpserverspec"],
  ["mcpgroupmembers", "/toolhive/reference/crd-spec/mcpgroup#mcpgroupmembers"],
  ["mcpgroupauthzconfig", "/toolhive/reference/crd-spec/mcpserver#authzconfig"],
  ["mcptoolconfig", "/toolhive/reference/crd-spec#mcptoolconfig"],
] as const) {
  test(`an old address of a reference that was one page arrives: ${anchor} at ${target}`, async ({
    page,
    observed,
  }) => {
    const index = target.startsWith("/toolhive/reference/api") ? "api" : "crd-spec";
    await openPage(page, `/toolhive/reference/${index}#${anchor}`);

    await expect(page).toHaveURL(siteOrigin() + target);
    const { hash } = new URL(page.url());
    if (hash !== "") await expect(page.locator(hash)).toBeInViewport();
    expect(observed.scriptErrors).toEqual([]);
  });
}

test("the head of a long table stays below the bar while the table is read", async ({ page }) => {
  await openPage(page, "/toolhive/reference/measurements");
  const box = page.locator(".scroll-table").first();
  const head = box.locator("th").first();
  await expect(box).toHaveAttribute("data-fits", "true");

  await box.locator("tr").last().scrollIntoViewIfNeeded();
  await box.evaluate((element) => window.scrollBy(0, element.getBoundingClientRect().bottom - 300));

  await expect(head).toBeInViewport();
  const bar = await page.getByRole("navigation", { name: "Main" }).boundingBox();
  const bottom = (bar?.y ?? 0) + (bar?.height ?? 0);
  await expect.poll(async () => (await head.boundingBox())?.y).toBeCloseTo(bottom, 0);
  // No row shows between them: what is there stays the same while rows pass.
  const clip = { x: bar?.x ?? 0, y: bottom, width: bar?.width ?? 0, height: 2 };
  const between = await page.screenshot({ clip });
  await page.evaluate(() => window.scrollBy(0, -9));
  expect((await page.screenshot({ clip })).equals(between)).toBe(true);
});

test("a long table can be narrowed to the rows that hold a text, and says how many are left", async ({ page }) => {
  await openPage(page, "/toolhive/reference/cli/thv");
  const filter = page.getByRole("searchbox", { name: "Filter the table" }).first();
  const rows = page.locator(".table-filter + .scroll-table").first().locator("tbody tr");
  const all = await rows.count();

  await filter.fill("interrupted");

  await expect(rows.filter({ visible: true })).toHaveCount(1);
  await expect(page.locator(".table-filter").first().getByRole("status")).toHaveText(`1 of ${all} rows`);
  await filter.fill("");
  await expect(rows.filter({ visible: true })).toHaveCount(all);
});

test.describe("a page of thirty screens", () => {
  const LONG = "/toolhive/reference/conformance";
  /** Ids of the headings whose sections the browser has laid out. */
  const laidOut = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll(".deferred-layout")]
        .filter((box) => [...box.children].some((part) => part.checkVisibility({ contentVisibilityAuto: true })))
        .map((box) => box.previousElementSibling?.id),
    );
  const FAR = "scenarios";

  test("is laid out where the reader is", async ({ page }) => {
    await openPage(page, LONG);
    await expect.poll(() => laidOut(page)).toContain("runs");
    expect(await laidOut(page)).not.toContain(FAR);

    // On the way, sections get their true heights, which moves the heading: a reader scrolls on.
    const scrollOn = async () => {
      await page.locator(`#${FAR}`).scrollIntoViewIfNeeded();
      return await laidOut(page);
    };

    await expect.poll(scrollOn).toContain(FAR);
    expect(await laidOut(page)).not.toContain("choices-sse");
  });

  test("shows what a link leads to, and keeps it in its place", async ({ page }) => {
    const heading = page.locator("#sdks-clients");
    const place = () => heading.evaluate((element) => Math.round(element.getBoundingClientRect().top));

    await openPage(page, `${LONG}#sdks-clients`);
    await expect.poll(() => laidOut(page)).toContain("sdks-clients");
    await expect(heading).toBeInViewport();
    const before = await place();
    // What is above and below the screen gets its true height.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    expect(await place()).toBe(before);

    // From the keyboard: what a mouse points at may move before the click while boxes far away get their true height.
    await page.getByRole("main").locator("a[href='#exceptions']").first().focus();
    await page.keyboard.press("Enter");
    await expect(page.locator("#exceptions")).toBeInViewport();
    await page.goBack();
    await expect(heading).toBeInViewport();
  });

  test("is printed whole", async ({ page }) => {
    await openPage(page, LONG);
    const boxes = await page.locator(".deferred-layout").count();

    await page.emulateMedia({ media: "print" });

    await expect.poll(async () => (await laidOut(page)).length).toBe(boxes);
  });

  test("is found in by the browser, far away, too", async ({ page }) => {
    await openPage(page, LONG);

    // Not of any standard, but the same search as that of the browser's own menu.
    const isFound = await page.evaluate(() =>
      (window as unknown as { find(text: string): boolean }).find("input-required-result-validate-input"),
    );

    expect(isFound).toBe(true);
    await expect.poll(() => laidOut(page)).toContain(FAR);
  });
});

for (const [what, address] of [
  ["a written page tells when it was last changed", "/toolhive/guides-cli/run-mcp-servers"],
  ["a generated page tells when what it is made from was last changed", "/toolhive/reference/api/groups"],
]) {
  test(what ?? "", async ({ page }) => {
    await openPage(page, address ?? "");

    const date = page.locator(".theme-last-updated time");

    await expect(date).toHaveText(/^[A-Z][a-z]{2} \d{1,2}, 20\d\d$/);
    await expect(date).toHaveAttribute("datetime", /^20\d\d-\d\d-\d\dT/);
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`a mermaid diagram is drawn in the colors of the ${colorScheme} mode, under the content policy`, async ({
    page,
    observed,
  }) => {
    await page.emulateMedia({ colorScheme });
    await openPage(page, "/theme-preview");
    const drawing = page.getByRole("img", { name: "A call of a tool, from the client to the server and back" });
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);

    await expect(drawing.getByText("HTTP request")).toBeVisible();
    await expect(drawing.getByText("Proxy")).toHaveCSS("fill", ink);
    expect(observed).toEqual({ foreignRequests: [], policyViolations: [], scriptErrors: [] });
  });
}

test.describe("a mermaid diagram without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("is drawn, and its source can be opened", async ({ page }) => {
    await page.goto("/theme-preview");
    const diagram = page.locator(".diagram");

    await expect(diagram.getByRole("img")).toBeVisible();
    await diagram.locator("summary").click();
    await expect(diagram.locator("pre")).toContainText("Client->>Proxy: HTTP request");
  });
});

test("the questions by which the search finds a page are in its HTML, and not in what its scripts bring", async ({
  page,
  request,
}) => {
  const address = "/toolhive/guides-cli/groups";
  const question = "How do I give a client one URL for all my servers?";
  const scripts: Promise<string>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") scripts.push(response.text());
  });

  await openPage(page, address);

  expect(await (await request.get(address)).text()).toContain(question);
  const texts = await Promise.all(scripts);
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.filter((text) => text.includes(question))).toEqual([]);
});
