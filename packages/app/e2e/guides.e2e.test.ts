/** The steps of the guides, one after the other, as their pages have them; on the way their pictures are taken. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { describeEngines, runThv, type TestEngine, ThrowawayHome } from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type MessageKey, t } from "../src/words/messages.ts";
import { launchBrowser, printAddress } from "./open-app.ts";
import { Pictures } from "./pictures.ts";

const EVERYTHING = "mcp/everything:test";
/** Image of the registry's entry for the tutorial. It cannot be pulled here: another server stands in for it. */
const FETCH = "ghcr.io/stackloklabs/gofetch/server:latest";

describeEngines("the guides on $kind", { isOneEnough: true }, (engine) => {
  let browser: Browser;
  let pictures: Pictures;
  let home: ThrowawayHome;
  let context: BrowserContext;
  let page: Page;
  let address: string;
  beforeAll(async () => {
    browser = await launchBrowser();
    pictures = await Pictures.open(browser);
    await standInForFetch(engine);
  });
  afterAll(async () => {
    await engine.cli(["rmi", FETCH]);
    await browser.close();
  });
  beforeEach(async () => {
    home = await ThrowawayHome.create();
    const served = await printAddress(home, engine);
    address = served.address;
    context = await pictures.openWindow(browser);
    page = await context.newPage();
    await page.goto(served.url);
    await page.getByText(t("connection.live")).waitFor();
  });
  afterEach(async () => {
    await context.close();
    await home[Symbol.asyncDispose]();
  });

  const select = async (key: MessageKey, role: "button" | "link" = "button") =>
    await page
      .getByRole(role, { name: t(key), exact: true })
      .first()
      .click();
  const open = async (place: MessageKey) =>
    await page
      .getByRole("navigation", { name: t("app.places") })
      .getByRole("link", { name: t(place) })
      .click();
  const confirm = async (key: MessageKey) =>
    await page
      .getByRole("dialog")
      .getByRole("button", { name: t(key), exact: true })
      .click();
  const reads = async (text: string | RegExp) => await page.getByText(text, { exact: true }).first().waitFor();

  test("tutorials/quickstart-ui", async () => {
    await mkdir(join(home.path, ".cursor"));
    await select("servers.browse", "link");
    await page.getByLabel(t("registry.search")).fill("fetch");
    await page.getByRole("link", { name: "fetch", exact: true }).click();
    await reads(t("registry.asks"));
    await pictures.take(page, "registry-entry", page.locator("main .panel").last());

    await select("registry.add", "link");
    await select("add.start");
    await page.getByRole("heading", { level: 1, name: "fetch" }).waitFor();
    await reads(t("status.running"));
    await pictures.take(page, "server", page.locator("main .panel").nth(1));

    await open("place.clients");
    await page.getByRole("button", { name: `${t("clients.connect")}: Cursor` }).click();
    await page.getByRole("dialog").getByText("mcpServers").waitFor();
    await pictures.take(page, "client-change");
    await confirm("clients.connect");
    await page.getByRole("button", { name: `${t("clients.disconnect")}: Cursor` }).waitFor();
    await pictures.take(
      page,
      "clients",
      page.getByRole("button", { name: `${t("clients.connect")}: Cline`, exact: true }),
    );

    await open("place.servers");
    await page.getByRole("link", { name: "fetch", exact: true }).click();
    await select("action.remove");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: t("action.remove") })
      .click();
    await reads(t("servers.emptyTitle"));
    await open("place.clients");
    await page.getByRole("button", { name: `${t("clients.disconnect")}: Cursor` }).click();
    await confirm("clients.disconnect");
    await page.getByRole("button", { name: `${t("clients.connect")}: Cursor` }).waitFor();
  });

  test("guides-ui/run-mcp-servers", async () => {
    await open("place.servers");
    await select("place.add", "link");
    const source = page.getByLabel(t("add.source"));
    for (const [typed, recognised] of [
      ["github", "add.recognisedRegistry"],
      ["mcp/fetch:latest", "add.recognisedImage"],
      ["npx://@acme/weather", "add.recognisedPackage"],
      ["uvx://weather", "add.recognisedPackage"],
      ["go://example.com/weather", "add.recognisedPackage"],
      ['{"mcpServers": {"weather": {"command": "npx", "args": ["-y", "@acme/weather"]}}}', "add.recognisedSettings"],
      ["docker run -i --rm -e API_KEY mcp/weather", "add.recognisedCommand"],
    ] as const) {
      await source.fill(typed);
      await reads(t(recognised));
    }
    await source.fill(EVERYTHING);
    await page.getByText(t("add.more"), { exact: true }).click();
    await page.getByLabel(t("add.name"), { exact: true }).fill("demo");
    await pictures.take(page, "add", page.getByLabel(t("add.arguments")));
    await select("add.check");
    await page
      .getByRole("region", { name: t("plan.title") })
      .getByText(t("plan.engine"))
      .waitFor();
    await select("add.start");
    await page.getByRole("heading", { level: 1, name: "demo" }).waitFor();
    await reads(t("status.running"));
    await page.getByRole("link", { name: t("server.logs") }).click();
    await reads(/Starting/);

    await page.getByRole("link", { name: t("server.tools") }).click();
    await page.getByLabel(t("tools.search")).fill("sum");
    await page.getByRole("link", { name: /sum/i }).click();
    await page.getByLabel(/^a/).fill("2");
    await page.getByLabel(/^b/).fill("40");
    await select("tools.call");
    await page.getByText("The sum of 2 and 40 is 42.").waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await pictures.take(page, "tools", page.getByText(t("tools.messages"), { exact: true }));

    await runThv(["edit", "demo", "--sleep-after", "10m", "--env", "UNITS=metric"], { home, engine });
    await page
      .getByLabel("demo", { exact: true })
      .getByRole("link", { name: t("server.settings") })
      .click();
    const lastChange = page.locator("section").filter({ has: page.getByRole("heading", { name: t("undo.title") }) });
    await lastChange.getByRole("heading").evaluate((each) => each.scrollIntoView({ block: "start" }));
    await pictures.take(page, "undo", lastChange);

    await runThv(["run", "--name", "notes", "mcp/memory:test"], { home, engine });
    await runThv(["run", "--name", "steps", "mcp/sequentialthinking:test"], { home, engine });
    await runThv(["stop", "steps"], { home, engine });
    await open("place.servers");
    await reads(t("status.stopped"));
    await pictures.take(page, "servers", page.getByRole("row").last());
    expect(new URL(page.url()).origin).toBe(new URL(address).origin);
  });

  test("guides-ui/run-mcp-servers, sets", async () => {
    await mkdir(join(home.path, ".cursor"));
    await mkdir(join(home.path, ".config", "Code", "User"), { recursive: true });
    const thv = async (...args: string[]) => {
      const { code, stderr } = await runThv(args, { home, engine });
      expect(code, stderr).toBe(0);
    };
    await page.goto(`${address}secrets`);
    await page.getByLabel(t("secrets.password")).fill("correct horse battery");
    await select("secrets.setup");
    await select("secrets.add");
    await page.getByLabel(t("secrets.name"), { exact: true }).fill("weather-key");
    await page.getByLabel(t("secrets.value"), { exact: true }).fill("a value");
    await select("secrets.save");
    await reads("weather-key");
    await thv("run", "--name", "weather", "--secret", "weather-key,target=API_KEY", EVERYTHING);
    await thv("run", "--name", "notes", "--env", "UNITS=metric", "mcp/memory:test");
    await thv("run", "--name", "steps", "mcp/sequentialthinking:test");
    await thv("group", "create", "work");
    await thv("group", "add", "work", "weather", "notes");
    await thv("client", "register", "cursor", "--group", "work");
    await thv("client", "register", "vscode");

    await open("place.clients");
    await page
      .getByRole("grid", { name: t("matrix.title") })
      .getByText("✓")
      .first()
      .waitFor();
    await pictures.take(
      page,
      "matrix",
      page.getByRole("button", { name: `${t("clients.connect")}: Roo Code`, exact: true }),
    );

    await page.goto(`${address}share-set?group=work`);
    await page
      .getByRole("region", { name: t("share.content") })
      .getByText("weather-key", { exact: true })
      .waitFor();
    await page.getByLabel(t("set.reference")).fill("oci://ghcr.io/acme/tools:1.0");
    await pictures.take(page, "share-set", page.getByRole("button", { name: t("share.store"), exact: true }));

    const { stdout: file } = await runThv(["export", "--group", "work", "-"], { home, engine });
    await thv("rm", "weather", "notes");
    await page.goto(`${address}open-set`);
    await page.getByLabel(t("set.text"), { exact: true }).fill(file);
    await select("set.read");
    await page.getByRole("region", { name: "weather", exact: true }).getByText(t("plan.engine")).waitFor();
    await page.getByRole("region", { name: "notes", exact: true }).getByText(t("plan.engine")).waitFor();
    await page
      .getByRole("heading", { level: 2, name: t("set.secrets") })
      .evaluate((each) => each.scrollIntoView({ block: "start" }));
    await pictures.take(page, "open-set", page.getByRole("region", { name: "notes", exact: true }));
  });

  test("guides-ui/secrets-management", async () => {
    await open("place.secrets");
    await page.getByLabel(t("secrets.password")).fill("correct horse battery");
    await select("secrets.setup");
    for (const name of ["github-token", "weather-key"]) {
      await select("secrets.add");
      await page.getByLabel(t("secrets.name"), { exact: true }).fill(name);
      await page.getByLabel(t("secrets.value"), { exact: true }).fill("a value");
      await select("secrets.save");
      await reads(name);
    }
    await runThv(["run", "--name", "weather", "--secret", "weather-key,target=API_KEY", EVERYTHING], { home, engine });
    await page.reload();
    await reads("weather-key");
    await pictures.take(page, "secrets");
    await page
      .getByRole("button", { name: new RegExp(t("secrets.delete")) })
      .first()
      .click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: t("secrets.delete"), exact: true })
      .click();
    await page.getByText("github-token", { exact: true }).waitFor({ state: "detached" });
  });
});

/** Makes an image under the name of the registry's that answers over HTTP, on the port that ToolHive chooses. */
async function standInForFetch(engine: TestEngine): Promise<void> {
  const entrypoint = [
    ...["node", "--import", "data:text/javascript,process.env.PORT=process.env.MCP_PORT"],
    "/app/node_modules/@modelcontextprotocol/server-everything/dist/index.js",
  ];
  const changes = [`ENTRYPOINT ${JSON.stringify(entrypoint)}`, 'CMD ["streamableHttp"]'];
  const { stdout } = await engine.cli(["create", EVERYTHING]);
  const id = stdout.trim();
  await engine.cli(["commit", ...changes.flatMap((change) => ["--change", change]), id, FETCH]);
  await engine.cli(["rm", id]);
}
