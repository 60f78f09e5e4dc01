/** What a reader meets first: home, quickstart, the page that is missing, and reading without scripts. */
import { expect, openPage, test } from "./support/site.ts";

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

test("a fenced block holds highlighted tokens", async ({ page }) => {
  await page.goto(QUICKSTART);

  expect(await page.locator(".language-bash .token").count()).toBeGreaterThan(3);
});

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
