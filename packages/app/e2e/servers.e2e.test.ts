/** The application in a real browser, with a real engine: a server's whole life, as the guides describe it. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, listViolations, printAddress } from "./open-app.ts";

const IMAGE = "mcp/everything:test";
const SCREENS = [
  "/",
  "/groups",
  "/groups/default",
  "/add",
  "/registry",
  "/registry/github",
  "/clients",
  "/open-set",
  "/share-set",
  "/secrets",
  "/settings",
];

describeEngines("the application on $kind", (engine) => {
  let browser: Browser;
  let home: ThrowawayHome;
  let context: BrowserContext;
  let page: Page;
  let address: string;
  let failures: string[];
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => await browser.close());
  beforeEach(async () => {
    home = await ThrowawayHome.create();
    const served = await printAddress(home, engine);
    address = served.address;
    // Colors that still change are neither theme's.
    context = await browser.newContext({ reducedMotion: "reduce" });
    page = await context.newPage();
    failures = [];
    page.on("pageerror", (error) => failures.push(String(error)));
    await page.goto(served.url);
  });
  afterEach(async () => {
    await context.close();
    await home[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
  });

  const shows = async (text: string | RegExp) => await page.getByText(text).first().waitFor();

  test("adds a server, shows what it writes, stops, starts and removes it", async () => {
    await shows(t("servers.emptyTitle"));
    await page
      .getByRole("link", { name: t("place.add") })
      .first()
      .click();
    await page.getByLabel(t("add.source")).fill(IMAGE);
    await shows(t("add.recognisedImage"));
    await page.getByLabel(t("add.name"), { exact: true }).fill("first");
    await shows(`thv run --name first ${IMAGE}`);
    await page.getByRole("button", { name: t("add.start") }).click();

    await page.getByRole("heading", { name: "first" }).waitFor();
    await shows(t("status.running"));
    expect(new URL(page.url()).pathname).toBe("/servers/first");

    await page.getByRole("link", { name: t("server.logs") }).click();
    await shows(/stdio/i);

    await page.getByRole("button", { name: t("action.stop") }).click();
    await shows(t("status.stopped"));
    const { stdout } = await runThv(["list", "--all", "--format", "json"], { home, engine });
    expect(JSON.parse(stdout)).toMatchObject([{ name: "first", status: "stopped" }]);
    await page.getByRole("button", { name: t("action.start") }).click();
    await shows(t("status.running"));

    await page.getByRole("button", { name: t("action.remove") }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(t("remove.text")).waitFor();
    await dialog.getByRole("button", { name: t("action.remove") }).click();
    await shows(t("servers.emptyTitle"));
  });

  test("shows what happens elsewhere, in every window", async () => {
    const second = await context.newPage();
    await second.goto(address);
    await runThv(["run", "--name", "elsewhere", IMAGE], { home, engine });

    for (const each of [page, second]) await each.getByRole("link", { name: "elsewhere" }).waitFor();
    await runThv(["rm", "elsewhere"], { home, engine });
    for (const each of [page, second]) await each.getByText(t("servers.emptyTitle")).waitFor();
  });

  test("joins servers in a group, says what is missing of it, gives a client its address, and removes it", async () => {
    for (const name of ["one", "two"]) await runThv(["run", "--name", name, IMAGE], { home, engine });
    const isIn = (name: string) => page.getByRole("button", { name: t("groups.takeOutOf", { name }) });
    await page.getByRole("link", { name: t("place.groups") }).click();
    await shows(t("groups.empty"));
    await page.getByRole("button", { name: t("groups.add") }).click();
    await page.getByLabel(t("groups.name"), { exact: true }).fill("work");
    await page.getByLabel(t("groups.naming"), { exact: true }).selectOption("always");
    await shows("thv group create work --naming always");
    await page.getByRole("button", { name: t("groups.create"), exact: true }).click();
    await page.getByRole("heading", { name: "work", level: 1 }).waitFor();

    await page.getByLabel(t("groups.addServer")).selectOption("one");
    await page.getByRole("button", { name: t("groups.addMember"), exact: true }).click();
    await isIn("one").waitFor();
    await shows(t("groups.whole"));
    // What happens elsewhere is shown, too.
    await runThv(["group", "add", "work", "two"], { home, engine });
    await isIn("two").waitFor();
    await runThv(["stop", "two"], { home, engine });
    // Once as its status, and once below what is missing.
    await page.getByText(t("groups.state.stopped"), { exact: true }).waitFor();
    await page.getByText(`two: ${t("groups.state.stopped")}`, { exact: true }).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(listViolations(page)).resolves.toEqual([]);
    }

    await page.getByLabel(t("groups.connect"), { exact: true }).selectOption("cursor");
    await page.getByRole("button", { name: t("groups.connectShort"), exact: true }).click();
    const leave = page.getByRole("button", { name: t("groups.disconnect", { name: "cursor" }) });
    await leave.click();
    await leave.waitFor({ state: "detached" });

    await isIn("two").click();
    await isIn("two").waitFor({ state: "detached" });
    await page.getByRole("link", { name: t("groups.showServers") }).click();
    await page.getByText(t("servers.count", { count: 1, total: 2 })).waitFor();
    expect(new URL(page.url()).searchParams.get("group")).toBe("work");
    await page
      .getByRole("list", { name: t("servers.inGroups", { name: "one" }) })
      .getByRole("link")
      .click();

    await page.getByRole("button", { name: t("groups.remove") }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(t("groups.removeText")).waitFor();
    await dialog.getByRole("button", { name: t("groups.remove") }).click();
    await shows(t("groups.empty"));
    const { stdout } = await runThv(["list", "--format", "json"], { home, engine });
    expect(JSON.parse(stdout)).toMatchObject([{ name: "one" }]);
  });

  test("shows that a server is asleep, lets it sleep later or never, and takes a change back", async () => {
    await runThv(["run", "--name", "sleeper", "--sleep-after", "1s", IMAGE], { home, engine });
    await shows(t("status.asleep"));
    await shows(t("status.asleepHint"));

    await page.goto(`${address}servers/sleeper/settings`);
    const field = page.getByLabel(t("add.sleep"), { exact: true });
    await expect(field.inputValue()).resolves.toBe("1s");
    await field.fill("soon");
    await expect(field.evaluate((each: HTMLInputElement) => each.validity.patternMismatch)).resolves.toBe(true);
    await field.fill("1h30m");
    await page.getByRole("button", { name: t("edit.save"), exact: true }).click();
    const readSleepAfter = async () => {
      const { stdout } = await runThv(["export", "sleeper"], { home, engine });
      return (JSON.parse(stdout) as { sleep_after_seconds?: number }).sleep_after_seconds;
    };
    await expect.poll(readSleepAfter, { timeout: 30_000 }).toBe(5_400);
    await shows(t("status.running"));

    await page.getByRole("button", { name: t("undo.button"), exact: true }).click();
    await expect.poll(readSleepAfter, { timeout: 30_000 }).toBe(1);
  });

  test("adds the servers of pasted commands, each with what was chosen for it", async () => {
    await shows(t("servers.emptyTitle"));
    await page
      .getByRole("link", { name: t("place.add") })
      .first()
      .click();
    const commands = [
      `$ docker run -i --rm --name first -e UNITS=metric -v $(pwd):/work ${IMAGE}`,
      `podman run -i --rm --name second ${IMAGE}`,
    ];
    await page.getByLabel(t("add.source")).fill(commands.join("\n"));
    await shows(t("add.recognisedCommand"));
    await page.getByLabel(t("add.folderFor", { target: "/work" })).fill(home.workDirectory);
    await page.getByRole("checkbox", { name: t("add.folderReadOnly") }).check();
    await page.getByRole("button", { name: t("add.check") }).click();
    await page.getByRole("region", { name: "first", exact: true }).getByText("(read)").waitFor();
    await expect(listViolations(page)).resolves.toEqual([]);
    await page.getByRole("button", { name: t("add.startSeveral", { count: 2 }) }).click();
    await page.getByRole("link", { name: "second" }).waitFor();

    const { stdout } = await runThv(["export", "first"], { home, engine });
    expect(JSON.parse(stdout)).toMatchObject({ volumes: [`${home.workDirectory}:/work:ro`] });
  });

  test("shows who has what, connects a client through a cell, and moves a server between groups, also by dragging", async () => {
    await mkdir(join(home.path, ".cursor"));
    await runThv(["run", "--name", "one", IMAGE], { home, engine });
    for (const name of ["work", "home"]) await runThv(["group", "create", name], { home, engine });
    await page.goto(`${address}groups`);
    await page.getByRole("button", { name: t("move.button", { name: "one", group: "default" }) }).click();
    await page.getByLabel(t("matrix.group"), { exact: true }).selectOption("work");
    await page.getByRole("button", { name: t("move.confirm", { group: "work" }) }).click();
    await shows(t("move.done", { name: "one", group: "work" }));
    const panel = (name: string) => page.getByRole("region", { name, exact: true });
    await panel("work").getByRole("listitem").filter({ hasText: "one" }).first().dragTo(panel("home"));
    await page.getByRole("button", { name: t("move.confirm", { group: "home" }) }).click();
    await shows(t("move.done", { name: "one", group: "home" }));
    await page.getByRole("button", { name: t("move.undo") }).click();
    await panel("home").getByText(t("groups.noServers")).waitFor();

    await page.goto(`${address}clients`);
    const grid = page.getByRole("grid", { name: t("matrix.title") });
    const cell = (column: string, state: string) =>
      grid.getByRole("button", { name: `Cursor, ${column}: ${state}`, exact: true });
    await cell("default", t("matrix.hasNot")).focus();
    await page.keyboard.press("End");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label")?.startsWith("Cursor, one:"));
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("mcpServers").waitFor();
    await expect(listViolations(page)).resolves.toEqual([]);
    await dialog.getByRole("button", { name: t("clients.connect") }).click();
    await cell("work", t("clients.connected")).waitFor();
    await cell("one", t("matrix.through", { groups: "work" })).waitFor();
    await expect(readFile(join(home.path, ".cursor", "mcp.json"), "utf8")).resolves.toContain("thv-work");
  });

  test("saves everything as a file, and opens such a file after showing what it starts", async () => {
    await runThv(["run", "--name", "one", IMAGE], { home, engine });
    await runThv(["group", "create", "work"], { home, engine });
    await runThv(["group", "add", "work", "one"], { home, engine });
    await page.goto(`${address}groups`);
    await page.getByRole("button", { name: t("set.saveAll") }).click();
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: t("set.save", { name: "thv.yaml" }) }).click();
    const file = await readFile(await (await waiting).path(), "utf8");
    await runThv(["rm", "one", "--yes"], { home, engine });
    await runThv(["group", "rm", "work", "--yes"], { home, engine });

    await page.goto(`${address}open-set`);
    await page.getByLabel(t("set.text"), { exact: true }).fill(file);
    await page.getByRole("button", { name: t("set.read") }).click();
    await page.getByRole("region", { name: "one", exact: true }).getByText(t("plan.engine")).waitFor();
    await expect(listViolations(page)).resolves.toEqual([]);
    await page.getByRole("button", { name: t("set.start", { count: 1 }) }).click();
    await shows(t("set.started"));

    const { stdout } = await runThv(["group", "list", "--format", "json"], { home, engine });
    expect(stdout).toContain('"one"');
    expect(stdout).toContain('"work"');
  });

  test("says what went wrong when a server cannot be added, and what to do", async () => {
    await runThv(["run", "--name", "taken", IMAGE], { home, engine });
    await page.goto(`${address}add?from=${encodeURIComponent(IMAGE)}`);
    await page.getByLabel(t("add.name"), { exact: true }).fill("taken");
    await page.getByRole("button", { name: t("add.start") }).click();

    const problem = page.getByRole("alert");
    await problem.getByText("already exists").waitFor();
    const link = problem.getByRole("link", { name: t("action.learn", { code: "WORKLOAD_EXISTS" }) });
    await expect(link.getAttribute("href")).resolves.toMatch(/^http.*\/toolhive\/reference\/errors\/workload-exists$/);
    await expect(page.getByLabel(t("add.name"), { exact: true }).inputValue()).resolves.toBe("taken");
  });

  test("is reached with the keyboard alone", async () => {
    await runThv(["run", "--name", "keys", IMAGE], { home, engine });
    await page.getByRole("link", { name: "keys" }).waitFor();

    await page.keyboard.press("Control+k");
    await page.keyboard.type("logs keys");
    await page.keyboard.press("Enter");
    await page.getByRole("log").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("stop keys");
    await page.keyboard.press("Enter");
    await shows(t("status.stopped"));

    // A screen that is loaded only now gets the focus, too.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("add server");
    await page.keyboard.press("Enter");
    const title = page.getByRole("heading", { level: 1, name: t("add.title") });
    await title.waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  });

  test("has nothing that axe objects to, and does not scroll sideways, in both themes and four widths", async () => {
    await runThv(["run", "--name", `long-${"name-".repeat(11)}end`, IMAGE], { home, engine });
    const found: string[] = [];
    for (const path of [
      ...SCREENS,
      `/servers/long-${"name-".repeat(11)}end`,
      `/servers/long-${"name-".repeat(11)}end/logs`,
    ]) {
      await page.goto(new URL(path, address).href);
      await page.getByRole("heading", { level: 1 }).waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await listViolations(page)).map((violation) => `${path} ${colorScheme}: ${violation}`));
      }
      for (const width of [360, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (overflow > 0) found.push(`${path} is ${overflow} px wider than ${width} px`);
      }
    }

    expect(found).toEqual([]);
  });
});
