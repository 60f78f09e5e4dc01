/** What surrounds the text: navbar, sidebar, contents, footer, skip link, announcement, and their states. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, openPage, test, waitForScripts } from "./support/site.ts";

const GUIDE = "/toolhive/guides-cli/run-mcp-servers";

/** Spec §2. */
const ROUTES = [
  "/",
  "/search",
  "/theme-preview",
  "/toolhive/",
  "/toolhive/faq",
  "/toolhive/concepts",
  "/toolhive/concepts/mcp-primer",
  "/toolhive/concepts/registry-criteria",
  "/toolhive/tutorials",
  "/toolhive/tutorials/quickstart-cli",
  "/toolhive/tutorials/quickstart-k8s",
  "/toolhive/tutorials/quickstart-ui",
  ...["", "install", "api-server", "client-configuration", "custom-permissions", "manage-mcp-servers", "registry"].map(
    (page) => `/toolhive/guides-cli/${page}`,
  ),
  "/toolhive/guides-cli/run-mcp-servers",
  "/toolhive/guides-cli/secrets-management",
  ...["", "intro", "deploy-operator-helm", "run-mcp-k8s"].map((page) => `/toolhive/guides-k8s/${page}`),
  ...["", "install", "client-configuration", "network-isolation", "run-mcp-servers", "secrets-management"].map(
    (page) => `/toolhive/guides-ui/${page}`,
  ),
  "/toolhive/reference/api",
  "/toolhive/reference/client-compatibility",
  "/toolhive/reference/crd-spec",
  ...readdirSync(path.join(__dirname, "../docs/toolhive/reference/cli")).map(
    (file) => `/toolhive/reference/cli/${path.basename(file, ".mdx")}`,
  ),
];

test("every route of the specification answers 200 with a page of its own title", async ({ request }) => {
  const titles = new Map<string, string>();
  for (const route of ROUTES) {
    const response = await request.get(route, { maxRedirects: 0 });
    const title = /<title[^>]*>([^<]*)</.exec(await response.text())?.[1] ?? "";

    expect(`${route} ${response.status()}`).toBe(`${route} 200`);
    expect(titles.get(title), `${route} and ${titles.get(title)} share the title ${title}`).toBeUndefined();
    titles.set(title, route);
  }
});

test("the docs dropdown opens by pointer and by keyboard and leads to its five sections", async ({ page }) => {
  await openPage(page, GUIDE);
  const toggle = page.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "Docs" });
  const menu = page.locator(".navbar .dropdown__menu");
  await expect(menu).toBeHidden();

  await toggle.focus();
  await page.keyboard.press("Enter");

  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await expect(menu).toBeVisible();
  expect(
    await menu
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => [link.textContent, link.getAttribute("href")])),
  ).toEqual([
    ["Home", "/toolhive"],
    ["Tutorials", "/toolhive/tutorials"],
    ["UI", "/toolhive/guides-ui"],
    ["CLI", "/toolhive/guides-cli"],
    ["Kubernetes Operator", "/toolhive/guides-k8s"],
  ]);
});

test("icon links open elsewhere, without handing over the page, and each says whose place it leads to", async ({
  page,
}) => {
  await openPage(page, GUIDE);

  for (const [region, names] of [
    [page.getByRole("navigation", { name: "Main" }), ["GitHub", "Discord", "YouTube"]],
    [page.getByRole("contentinfo"), ["GitHub", "Discord", "YouTube", "LinkedIn", "X"]],
  ] as const) {
    for (const name of names) {
      const link = region.getByRole("link", { name: `${name} of the original ToolHive`, exact: true });
      await expect(link).toHaveAttribute("target", "_blank");
      await expect(link).toHaveAttribute("rel", /noopener/);
    }
  }
});

test("the footer holds the logo and the copyright line of 2025", async ({ page }) => {
  await openPage(page, GUIDE);

  const footer = page.getByRole("contentinfo");
  await expect(footer).toContainText("Copyright © 2025");
  await expect(footer.getByRole("img", { name: "ToolHive" }).first()).toBeVisible();
});

test("the skip link is the first stop of the keyboard and leads into the text", async ({ page }) => {
  await openPage(page, GUIDE);

  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to main content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");

  expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
});

test("Escape closes the menu of the bar, whether a key or the pointer has opened it", async ({ page }) => {
  await openPage(page, GUIDE);
  const menu = page.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "Docs" });
  const item = page.locator(".navbar .dropdown__menu").getByRole("link", { name: "Tutorials" });
  await menu.focus();
  await page.keyboard.press("Enter");
  await expect(menu).toHaveAttribute("aria-expanded", "true");
  await expect(item).toBeVisible();

  await item.focus();
  await page.keyboard.press("Escape");
  await expect(menu).toHaveAttribute("aria-expanded", "false");
  await expect(item).toBeHidden();
  await expect(menu).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(item).toBeVisible();
  await page.keyboard.press("Escape");
  await menu.hover();
  await expect(item).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(item).toBeHidden();
});

test("the sidebar cannot be hidden, marks one page, and keeps every opened category open", async ({ page }) => {
  await openPage(page, GUIDE);
  const sidebar = page.getByRole("navigation", { name: "Docs sidebar" });

  await expect(page.getByRole("button", { name: "Collapse sidebar", exact: true })).toHaveCount(0);
  await expect(sidebar.locator("a[aria-current='page']:not(.menu__link--sublist)")).toHaveCount(1);
  // An opened category may hold closed ones.
  const closed = sidebar.locator("[aria-expanded='false']");
  for (let opened = 0; (await closed.count()) > 0; opened++) {
    expect(opened, "every category stays open").toBeLessThan(100);
    await closed.first().click();
  }

  expect(await sidebar.locator("[aria-expanded='true']").count()).toBeGreaterThan(10);
});

test("the menu shows the open page, however far down it is, and stays where the reader has scrolled it", async ({
  page,
}) => {
  await openPage(page, "/toolhive/guides-cli/client-configuration");
  const sidebar = page.getByRole("navigation", { name: "Docs sidebar" });
  const openItem = sidebar.locator("a[aria-current='page']");
  await expect(openItem).toHaveText("Connect clients");
  await expect(openItem).toBeInViewport();
  const scrolled = await sidebar.evaluate((menu) => menu.scrollTop);
  expect(scrolled).toBeGreaterThan(0);

  await sidebar.locator("li:has(> a[aria-current='page']) + li > a").click();

  await expect(openItem).not.toHaveText("Connect clients");
  expect(await sidebar.evaluate((menu) => menu.scrollTop)).toBe(scrolled);
});

test("the page's contents list headings of the levels 2 and 3 only", async ({ page }) => {
  await openPage(page, "/theme-preview");

  const targets = await page
    .locator(".table-of-contents__link")
    .evaluateAll((links) =>
      links.map(
        (link) => document.getElementById(decodeURIComponent((link as HTMLAnchorElement).hash.slice(1)))?.tagName,
      ),
    );

  expect(targets.length).toBeGreaterThan(8);
  expect(new Set(targets)).toEqual(new Set(["H2", "H3"]));
});

test("previous and next form one chain over the sidebar", async ({ page }) => {
  test.slow();
  const seen: string[] = [];
  await openPage(page, "/toolhive/");

  for (;;) {
    expect(seen.length, "the chain goes in a circle").toBeLessThan(300);
    seen.push(new URL(page.url()).pathname);
    const next = page.locator(".pagination-nav__link--next");
    if ((await next.count()) === 0) break;
    const address = await next.getAttribute("href");
    await next.click();
    await expect(page).toHaveURL(address ?? "");
    // The address changes at once, the old page and its links stay until the new one is there.
    await expect(page.locator('.menu__link[aria-current="page"]')).toHaveAttribute("href", address ?? "");
  }

  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.at(-1)).toBe("/toolhive/reference/contributing");
  expect(seen.length).toBeGreaterThanOrEqual(40);
});

test("the announcement can be dismissed, stays away, and a new one shows at once", async ({ page }) => {
  await openPage(page, GUIDE);
  const bar = page.locator(".theme-announcement-bar");
  await expect(bar).toBeVisible();

  await bar.getByRole("button", { name: "Close" }).click();
  await page.reload();
  await waitForScripts(page);
  await expect(bar).toHaveCount(0);
  await page.evaluate(() => localStorage.setItem("docusaurus.announcement.id", "an-older-one"));
  await page.reload();

  await expect(bar).toBeVisible();
  await expect.poll(() => page.evaluate(() => localStorage.getItem("docusaurus.announcement.dismiss"))).toBe("false");
});

test.describe("colour mode", () => {
  test("follows the system live while nothing is chosen", async ({ page }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await openPage(page, GUIDE);
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");

    await page.emulateMedia({ colorScheme: "light" });

    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    expect(await page.evaluate(() => localStorage.getItem("theme"))).toBeNull();
  });

  test("a choice is stored, goes round and reaches other tabs", async ({ page, context }) => {
    await openPage(page, GUIDE);
    const other = await context.newPage();
    await openPage(other, GUIDE);
    const toggle = page.getByRole("navigation", { name: "Main" }).getByRole("button", { name: /color|mode/i });

    for (const stored of ["light", "dark", null]) {
      await toggle.click();
      await expect.poll(() => page.evaluate(() => localStorage.getItem("theme"))).toBe(stored);
      await expect(other.locator("html")).toHaveAttribute("data-theme-choice", stored ?? "system");
    }
  });

  test("a stored choice is there before any bundle has run", async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem("theme", "dark"));
    await page.route("**/*.js", (route) => route.abort());

    await page.goto(GUIDE);

    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 996, height: 800 } });

  test("the mobile sidebar opens, closes by its button, and closes when the window grows past 996 px", async ({
    page,
  }) => {
    await openPage(page, GUIDE);
    const open = page.getByRole("button", { name: "Toggle navigation bar" });
    const navbar = page.locator(".navbar");

    await open.click();
    await expect(navbar).toHaveClass(/navbar-sidebar--show/);
    await page.getByRole("button", { name: "Close navigation bar" }).click();
    await expect(navbar).not.toHaveClass(/navbar-sidebar--show/);
    await open.click();
    await page.setViewportSize({ width: 997, height: 800 });

    await expect(navbar).not.toHaveClass(/navbar-sidebar--show/);
    await expect(open).toBeHidden();
  });
});

test("a phone makes the menu when its reader opens it, with the section's pages in it", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await openPage(page, GUIDE);
  const menu = page.locator(".navbar-sidebar");
  expect(await menu.count()).toBe(0);

  await page.getByRole("button", { name: "Toggle navigation bar" }).click();
  await menu.getByRole("link", { name: "FAQ" }).click();

  await expect(page).toHaveURL(/\/toolhive\/faq$/);
  await expect(menu).toBeHidden();
});

test("a preferred version that does not exist is forgotten", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("docs-preferred-version-default", "no-such-version"));

  await openPage(page, GUIDE);

  await expect.poll(() => page.evaluate(() => localStorage.getItem("docs-preferred-version-default"))).toBeNull();
});

test("tabs of one group follow each other over pages, and the arrow keys move between them", async ({ page }) => {
  await openPage(page, "/toolhive/guides-cli/install");
  await page.getByRole("tab", { name: "Linux" }).first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("tab", { name: "macOS" }).first()).toHaveAttribute("aria-selected", "true");
  await openPage(page, "/theme-preview");

  await expect(page.getByRole("tab", { name: "macOS" }).first()).toHaveAttribute("aria-selected", "true");
});
