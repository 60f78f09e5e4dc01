/** Sets that people share by a real image registry, and groups of a registry that are run, in a real browser with a real engine. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { describeEngines, RealImageRegistry, runThv, ThrowawayHome } from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, listViolations, printAddress } from "./open-app.ts";

const IMAGE = "toolhive-test/echo:test";
const obstacle = await RealImageRegistry.findObstacle();
const title = obstacle === undefined ? "" : `, without an image registry: ${obstacle}`;

describeEngines(`sets and groups that are shared, with $kind${title}`, { kinds: ["docker"] }, (engine) => {
  let browser: Browser;
  let home: ThrowawayHome;
  let context: BrowserContext;
  let page: Page;
  let address: string;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => await browser.close());
  beforeEach(async () => {
    home = await ThrowawayHome.create();
    const served = await printAddress(home, engine);
    address = served.address;
    context = await browser.newContext({ reducedMotion: "reduce" });
    page = await context.newPage();
    await page.goto(served.url);
  });
  afterEach(async () => {
    await context.close();
    await home[Symbol.asyncDispose]();
  });

  const thv = async (...args: string[]) => await runThv(args, { home, engine });
  const press = async (name: string) => await page.getByRole("button", { name, exact: true }).click();
  const region = (name: string) => page.getByRole("region", { name, exact: true });
  const share = async (reference: string, group?: string) => {
    await page.goto(`${address}share-set${group === undefined ? "" : `?group=${group}`}`);
    await page.getByLabel(t("set.reference")).fill(reference);
    await press(t("share.store"));
  };
  const openSet = async (reference: string) => {
    await page.goto(`${address}open-set`);
    await page.getByRole("radio", { name: t("set.from.registry") }).check();
    await page.getByLabel(t("set.reference")).fill(reference);
    await press(t("set.read"));
  };

  test.skipIf(obstacle !== undefined)(
    "a set is stored, opened with its plan and its digest, and replaced only by who has seen it",
    async () => {
      await using registry = await RealImageRegistry.start();
      const reference = `oci://${registry.host}/acme/tools:1.0`;
      await thv("run", "--name", "one", "--env", "UNITS=metric", IMAGE);
      await thv("group", "create", "work");
      await thv("group", "add", "work", "one");

      await page.goto(`${address}groups/work`);
      await page.getByRole("link", { name: t("share.button") }).click();
      await region(t("share.content")).getByText("one", { exact: true }).waitFor();
      await region(t("share.content")).getByText(t("share.file")).click();
      await region(t("share.content")).getByText("UNITS: metric").waitFor();
      await expect(listViolations(page)).resolves.toEqual([]);
      await page.getByLabel(t("set.reference")).fill(reference);
      await press(t("share.store"));
      await page.getByText(t("share.stored"), { exact: true }).waitFor();
      await page.getByText(`thv up ${reference}`, { exact: true }).waitFor();

      // Somebody else has stored another set under that name.
      await thv("run", "--name", "two", IMAGE);
      await share(reference);
      await page.getByText(/which you have neither pushed nor pulled/).waitFor();
      await press(t("share.present"));
      await region(t("share.presentTitle")).getByText("one", { exact: true }).waitFor();
      await press(t("share.replace"));
      await page.getByText(t("share.replaced"), { exact: true }).waitFor();

      await thv("rm", "one", "two", "--yes");
      await thv("group", "rm", "work", "--yes");
      await openSet(reference);
      await region(t("set.source"))
        .getByText(/^sha256:[0-9a-f]{64}$/)
        .waitFor();
      await region("one").getByText(t("plan.engine")).waitFor();
      await expect(listViolations(page)).resolves.toEqual([]);
      expect((await thv("list", "--all", "--format", "json")).stdout).not.toContain('"one"');
      await press(t("set.start", { count: 2 }));
      await page.getByText(t("set.started")).waitFor();
      expect((await thv("group", "list", "--format", "json")).stdout).toContain('"work"');

      await thv("rm", "two", "--yes");
      await thv("export", "--all", join(home.workDirectory, "thv.yaml"));
      await thv("push", reference, "--file", join(home.workDirectory, "thv.yaml"), "--yes");
      await openSet(reference);
      await page.getByText(/now names another set than when you last started it/).waitFor();
    },
  );

  test.skipIf(obstacle !== undefined)(
    "a registry that asks for a sign-in, and a name without a set, are errors that say what to do",
    async () => {
      await using closed = await RealImageRegistry.start({ asksForSignIn: true });
      await using open = await RealImageRegistry.start();
      await thv("run", "--name", "one", IMAGE);
      const problem = page.getByRole("alert");
      await share(`oci://${closed.host}/acme/tools:1.0`);
      await problem.getByText(`docker login ${closed.host}`).waitFor();
      await openSet(`oci://${closed.host}/acme/tools:1.0`);
      await problem.getByText(`docker login ${closed.host}`).waitFor();
      await openSet(`oci://${open.host}/acme/nothing:1.0`);
      await problem.getByRole("link", { name: t("action.learn", { code: "IMAGE_NOT_FOUND" }) }).waitFor();
      await openSet("ghcr.io/acme/tools");
      await problem
        .getByText(/oci:\/\//)
        .first()
        .waitFor();
    },
  );

  test("the servers of a registry's group are planned with what they need, and run in a group here", async () => {
    const token = { name: "UNITS", description: "Metric or imperial.", required: true };
    const entry = { image: IMAGE, description: "Says what it hears.", tier: "Community", status: "Active" };
    const members = { ...entry, transport: "stdio", tools: ["say"] };
    const servers = { maps: members, trains: { ...members, env_vars: [token] } };
    const groups = [{ name: "travel", description: "What a journey needs.", servers }];
    const file = join(home.workDirectory, "registry.json");
    await writeFile(
      file,
      JSON.stringify({ version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {}, groups }),
    );
    await thv("config", "set-registry-url", file);

    const start = page.getByRole("button", { name: t("add.startSeveral", { count: 2 }), exact: true });
    let sendEntries: () => void = () => undefined;
    const entries = new Promise<void>((resolve) => {
      sendEntries = resolve;
    });
    await page.route("**/catalog/*", async (route) => {
      await entries;
      await route.continue();
    });
    await page.goto(`${address}registry`);
    await page.getByRole("link", { name: t("registry.runGroup", { name: "travel" }) }).click();
    await page.getByRole("heading", { level: 1, name: t("registryGroup.title", { name: "travel" }) }).waitFor();
    // What they ask for and what they may reach is not here yet.
    await page.getByText(t("app.loading")).waitFor();
    await expect(start.count()).resolves.toBe(0);
    sendEntries();
    await press(t("add.startSeveral", { count: 2 }));
    await page.getByText(t("form.required")).waitFor();
    await region("trains").getByLabel(/UNITS/).fill("metric");
    await press(t("add.check"));
    await region("maps").getByText(t("plan.engine")).waitFor();
    await region("trains").getByText("UNITS", { exact: true }).last().waitFor();
    await expect(listViolations(page)).resolves.toEqual([]);
    expect((await thv("list", "--all", "--format", "json")).stdout).not.toContain("trains");

    await press(t("add.startSeveral", { count: 2 }));
    await page.getByRole("heading", { level: 1, name: "travel" }).waitFor();
    await page.getByRole("link", { name: "maps" }).first().waitFor();
    await page.getByRole("link", { name: "trains" }).first().waitFor();
  });
});
