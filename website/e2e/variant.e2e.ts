/**
 * What only a site with other settings shows: analytics with ids, the edit link, no colour switch. The site's own
 * configuration and theme are built over two pages (`fixtures/variant.config.ts`) and answered from their folder.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { siteOrigin, waitForScripts } from "./support/site.ts";

const ORIGIN = "http://variant.test";
const websiteDir = path.join(__dirname, "..");
const builtDir = path.join(websiteDir, "test-results/variant-site");

/** One build for all tests of the file. */
test.describe.configure({ mode: "default" });

test.beforeAll(async () => {
  test.setTimeout(120_000);
  const docusaurus = createRequire(__filename).resolve("@docusaurus/core/bin/docusaurus.mjs");
  const child = spawn(
    process.execPath,
    [docusaurus, "build", "--config", path.join(__dirname, "fixtures/variant.config.ts"), "--out-dir", builtDir],
    {
      cwd: websiteDir,
      env: {
        ...process.env,
        NODE_ENV: "production",
        NO_UPDATE_NOTIFIER: "1",
        DOCUSAURUS_GENERATED_FILES_DIR_NAME: ".docusaurus/variant",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code, output).toBe(0);
});

interface TagCall {
  readonly name: string;
  readonly values: readonly unknown[];
}

interface OpenedVariant {
  readonly foreignRequests: string[];
  readonly warnings: string[];
}

/** Answers the site from its folder and the tag manager with an empty script, and opens a page. */
async function openVariant(page: Page, address: string): Promise<OpenedVariant> {
  const opened: OpenedVariant = { foreignRequests: [], warnings: [] };
  page.on("console", (message) => opened.warnings.push(message.text()));
  await page.route("**/*", async (route) => {
    const url = new URL(route.request().url());
    if (url.origin !== ORIGIN) {
      opened.foreignRequests.push(url.href);
      return await route.fulfill({ contentType: "text/javascript", body: "" });
    }
    const file = path.join(builtDir, url.pathname);
    const candidate = [file, `${file}.html`, path.join(file, "index.html")].find(
      (name) => path.extname(name) !== "" && existsSync(name),
    );
    if (candidate === undefined) return await route.fulfill({ status: 404, body: "not found" });
    return await route.fulfill({ path: candidate });
  });
  await page.goto(ORIGIN + address);
  await waitForScripts(page);
  return opened;
}

/** What the page handed to the tag manager so far. */
async function tagCalls(page: Page): Promise<TagCall[]> {
  const calls = await page.evaluate(() =>
    (window as unknown as { dataLayer: ArrayLike<unknown>[] }).dataLayer.map((call) =>
      [...Array.from(call)].map((value) => (value instanceof Date ? "a date" : value)),
    ),
  );
  return calls.map(([name, ...values]) => ({ name: String(name), values }));
}

async function pageViews(page: Page): Promise<unknown[]> {
  const calls = await tagCalls(page);
  return calls.flatMap(({ name, values }, index) =>
    name === "event" && values[0] === "page_view" ? [calls[index - 1]?.values] : [],
  );
}

test("the tag manager is loaded with its id and configured to anonymise addresses", async ({ page }) => {
  const { foreignRequests } = await openVariant(page, "/first");

  expect(foreignRequests).toEqual(["https://www.googletagmanager.com/gtag/js?id=G-FIXTURE"]);
  expect(await tagCalls(page)).toContainEqual({ name: "config", values: ["G-FIXTURE", { anonymize_ip: true }] });
});

test("a page view is sent when path, query or hash changes, and none when nothing does", async ({ page }) => {
  await openVariant(page, "/first");
  expect(await pageViews(page)).toEqual([]);

  await page.getByRole("link", { name: "or further down" }).click();
  await expect.poll(() => pageViews(page)).toEqual([["page_path", "/first#further-down"]]);
  await page.getByRole("link", { name: "or further down" }).click();
  await page.getByRole("link", { name: "Go to the second page" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Second page");

  await expect
    .poll(() => pageViews(page))
    .toEqual([
      ["page_path", "/first#further-down"],
      ["page_path", "/second"],
    ]);
});

test("a page view is sent when nothing but the query changes", async ({ page }) => {
  await openVariant(page, "/first");

  // A link that only carries a query, followed within the site as every link of a page is.
  await page.getByRole("link", { name: "with a query" }).click();

  await expect.poll(() => pageViews(page)).toEqual([["page_path", "/first?from=here"]]);
});

test("page analytics that are blocked leave a console message and a working page", async ({ page }) => {
  const { warnings } = await openVariant(page, "/first");

  await expect.poll(() => warnings.join("\n")).toContain("[Vercel Web Analytics] Failed to load script");
  await page.getByRole("link", { name: "Go to the second page" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Second page");
});

test("without the colour switch there is no button, and a stored choice is deleted", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("theme", "light"));

  await openVariant(page, "/first");

  await expect.poll(() => page.evaluate(() => localStorage.getItem("theme"))).toBeNull();
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("button", { name: /mode/i })).toHaveCount(0);
});

test("with a repository's address a page links to its own source", async ({ page }) => {
  await openVariant(page, "/first");

  await expect(page.getByRole("link", { name: "Edit this page" })).toHaveAttribute(
    "href",
    "https://code.example/toolhive/edit/main/website/e2e/fixtures/variant-docs/first.mdx",
  );
});

test("with a repository's address a search that found nothing leads to its form for issues, filled in", async ({
  page,
}) => {
  await openVariant(page, "/first");
  await page.route("**/1/indexes/**", (route) =>
    route.fulfill({ json: { results: [{ hits: [], nbHits: 0, nbPages: 0, page: 0, query: "" }] } }),
  );

  await page.keyboard.press("/");
  await page.locator(".DocSearch-Input").fill("unix socket & more");

  const link = page.locator(".DocSearch-NoResults").getByRole("link");
  await expect(link).toHaveAttribute("href", /^https:\/\/code\.example\/toolhive\/issues\/new\?/);
  const { searchParams } = new URL((await link.getAttribute("href")) ?? "");
  expect(searchParams.get("title")).toBe("Search found nothing for: unix socket & more");
  expect(searchParams.get("body")).toContain("unix socket & more");
});

test("without a repository's address, and without ids, a page has neither edit link nor analytics", async ({
  request,
}) => {
  const html = await (await request.get(`${siteOrigin()}/toolhive/faq`)).text();

  expect(html).toContain("Wrong or missing?");
  expect(html).not.toMatch(/Edit this page|googletagmanager|gtag\(/);
});
