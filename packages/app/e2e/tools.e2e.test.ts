/** What a server offers, tried in a real browser: forms, answers, questions of the server, and its messages. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { sortJson } from "@toolhive/http/values";
import { describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { HOSTILE_CALL, HOSTILE_TOOLS } from "./hostile-tools.ts";
import { launchBrowser, listViolations, printAddress } from "./open-app.ts";

/** A tool in the file of what was recorded. */
interface Recorded {
  readonly name: string;
  sha256: string;
  readonly definition: { description?: string };
}

describeEngines("the tools of a server on $kind", { isOneEnough: true }, (engine) => {
  let browser: Browser;
  let home: ThrowawayHome;
  let context: BrowserContext;
  let page: Page;
  let address: string;
  const failures: string[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
    home = await ThrowawayHome.create();
    await runThv(["run", "--name", "it", "mcp/everything:test"], { home, engine });
    const served = await printAddress(home, engine);
    address = served.address;
    context = await browser.newContext({ reducedMotion: "reduce" });
    page = await context.newPage();
    page.on("pageerror", (error) => failures.push(String(error)));
    page.on("console", (message) => message.type() === "error" && failures.push(message.text()));
    await page.goto(served.url);
    await page.getByRole("link", { name: "it" }).waitFor();
  });
  beforeEach(() => {
    failures.length = 0;
  });
  afterAll(async () => {
    await browser.close();
    await home[Symbol.asyncDispose]();
  });

  const openOffer = async (item: string, kind = "tools") =>
    await page.goto(`${address}servers/it/tools?kind=${kind}&item=${encodeURIComponent(item)}`);
  const field = (name: string) => page.getByLabel(new RegExp(`^${name}`)).first();
  const press = async (name: string) => await page.getByRole("button", { name, exact: true }).click();
  const choose = async (label: string) => await page.getByRole("radio", { name: label }).check();
  const answer = () => page.getByRole("region", { name: t("tools.answer") });

  test("are listed, found, and called with a form, with the messages and the command beside it", async () => {
    await page.goto(`${address}servers/it`);
    await page.getByRole("link", { name: t("server.tools") }).click();
    await page.getByLabel(t("tools.search")).fill("echo input");
    await page.getByRole("link", { name: /echo/i }).click();
    expect(new URL(page.url()).searchParams.get("item")).toBe("echo");

    await field("message").fill("<b>hello</b>");
    await page.getByText(`thv mcp call it echo --json '{"message":"<b>hello</b>"}'`).waitFor();
    await press(t("tools.call"));
    await answer().getByText("Echo: <b>hello</b>").waitFor();
    await answer()
      .getByText(/\d+ ms/)
      .waitFor();

    await page.getByText("tools/call").click();
    await page.getByText('"method": "tools/call"').waitFor();
    expect(failures).toEqual([]);
  });

  test("are hidden, renamed and offered again in place, while the server goes on", async () => {
    const box = (tool: string) => page.getByRole("checkbox", { name: t("tools.offer", { name: tool }), exact: true });
    const find = async () => (await engine.cli(["ps", "-q", "--no-trunc", "--filter", "name=^it$"])).stdout.trim();
    const container = await find();
    await openOffer("get-sum");
    await box("echo").focus();
    await page.keyboard.press("Space");
    await box("echo").and(page.locator(":not(:checked)")).waitFor();
    await page.getByText(t("tools.hidden"), { exact: true }).first().waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(listViolations(page)).resolves.toEqual([]);
    }

    await press(t("tools.rename"));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("tools.renameName")).fill("add");
    await dialog.getByText("thv tools rename it get-sum add").waitFor();
    await dialog.getByRole("button", { name: t("tools.renameSave") }).click();
    await page.getByText(t("tools.ownName", { own: "get-sum" })).waitFor();
    await box("add").waitFor();
    const { stdout } = await runThv(["tools", "list", "it", "--format", "json"], { home, engine });
    const { tools } = JSON.parse(stdout) as { tools: { name: string; own_name: string; state: string }[] };
    expect(tools).toContainEqual(expect.objectContaining({ name: "add", own_name: "get-sum", state: "offered" }));
    expect(tools).toContainEqual(expect.objectContaining({ name: "echo", state: "hidden" }));
    expect(tools.map(({ name }) => name)).not.toContain("get-sum");

    await press(t("tools.rename"));
    await dialog.getByLabel(t("tools.renameName")).fill("");
    await dialog.getByRole("button", { name: t("tools.renameSave") }).click();
    await box("get-sum").waitFor();
    await box("echo").click();
    await box("echo").and(page.locator(":checked")).waitFor();
    await press(t("tools.offerAll"));
    await page.getByText(t("tools.offeredAll")).waitFor();
    expect(await find()).toBe(container);
    expect(failures).toEqual([]);
  });

  test("that the server has changed are pointed out, shown line by line, and accepted as shown", async () => {
    const project = join(home.workDirectory, "thv.yaml");
    const up = async (value: string) => {
      // The whole of it is JSON, which is YAML, too.
      const server = { run: "mcp/everything:test", env: { VALUE: value } };
      await writeFile(project, JSON.stringify({ servers: { changer: server } }));
      const { code, stderr } = await runThv(["up", "--yes", "--file", project], { home, engine });
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      // The whole list passes the proxy.
      await runThv(["tools", "list", "changer"], { home, engine });
    };
    await up("one");
    const path = join(home.stateDirectory, "toolpins/changer.json");
    await expect.poll(() => existsSync(path)).toBe(true);
    const record = JSON.parse(await readFile(path, "utf8")) as { pinned: Recorded[] };
    const echo = record.pinned.find(({ name }) => name === "echo");
    if (echo === undefined) throw new Error("echo is not recorded");
    // As if the server had said something else before.
    echo.definition.description = "Says what it hears.\nNothing else.\u200b";
    echo.sha256 = createHash("sha256")
      .update(JSON.stringify(sortJson(echo.definition)))
      .digest("hex");
    await writeFile(path, JSON.stringify(record));
    await up("two");

    await page.goto(address);
    await page.getByRole("link", { name: t("pins.heldOne") }).click();
    const section = page.getByRole("region", { name: t("pins.title") });
    await section.getByText("Nothing else.⟨U+200B⟩").waitFor();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expect(listViolations(page)).resolves.toEqual([]);
        const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const);
        expect(widths[0]).toBeLessThanOrEqual(widths[1]);
      }
    }
    await page.setViewportSize({ width: 1280, height: 720 });
    await section.getByRole("button", { name: t("pins.acceptOne", { name: "echo" }) }).click();
    await section.waitFor({ state: "detached" });

    expect((await runThv(["tools", "pin", "changer", "--check"], { home, engine })).code).toBe(0);
    expect((await runThv(["rm", "changer"], { home, engine })).code).toBe(0);
    expect(existsSync(path)).toBe(false);
    expect(failures).toEqual([]);
  });

  test("are hidden and renamed for clients of a group, and not for those of the server", async () => {
    for (const words of [
      ["create", "work"],
      ["add", "work", "it"],
    ])
      expect((await runThv(["group", ...words], { home, engine })).code).toBe(0);
    const listTools = async (...owner: string[]) => {
      const { stdout } = await runThv(["tools", "list", ...owner, "--format", "json"], { home, engine });
      const { tools } = JSON.parse(stdout) as { tools: { name: string; state: string }[] };
      return tools.filter(({ state }) => state === "offered").map(({ name }) => name);
    };
    await page.goto(`${address}groups/work`);
    const section = page.getByRole("region", { name: t("groups.toolsTitle") });
    const box = (tool: string) =>
      section.getByRole("checkbox", { name: t("tools.offer", { name: tool }), exact: true });
    await box("echo").click();
    await box("echo").and(page.locator(":not(:checked)")).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(listViolations(page)).resolves.toEqual([]);
    }
    await section.getByRole("button", { name: t("groups.renameTool", { name: "get-sum" }) }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("tools.renameName")).fill("add");
    await dialog.getByText("thv tools rename --group work get-sum add").waitFor();
    await dialog.getByRole("button", { name: t("tools.renameSave") }).click();
    await box("add").waitFor();

    const names = await listTools("--group", "work");
    expect([names.includes("add"), names.includes("echo"), names.includes("get-sum")]).toEqual([true, false, false]);
    expect(await listTools("it")).toEqual(expect.arrayContaining(["echo", "get-sum"]));
    await section.getByRole("button", { name: t("tools.offerAll") }).click();
    await section.getByText(t("groups.offeredAll")).waitFor();
    expect((await runThv(["group", "rm", "work"], { home, engine })).code).toBe(0);
    expect(failures).toEqual([]);
  });

  test("have problems of their arguments shown at the field, which do not keep anybody from sending them", async () => {
    await openOffer("get-sum");
    await field("a").fill("one");
    await press(t("tools.call"));
    await page.getByText(t("form.noNumber")).waitFor();
    await page.getByText(t("form.required")).waitFor();

    await choose(t("form.json"));
    const json = page.getByRole("textbox", { name: t("form.json") });
    await json.fill('{"a": "one", "b": 2}');
    await press(t("tools.call"));
    await press(t("tools.anyway"));
    await answer().getByText(t("tools.failed")).waitFor();

    await json.fill('{"a": 40, "b": 2}');
    await choose(t("form.fields"));
    await expect(field("b").inputValue()).resolves.toBe("2");
    await press(t("tools.call"));
    await answer().getByText("42").waitFor();
  });

  test("answer with images, links and structured content, and long texts are cut", async () => {
    await openOffer("get-tiny-image");
    await press(t("tools.call"));
    const image = answer().getByRole("img");
    await image.waitFor();
    await expect
      .poll(async () => await image.evaluate((each: HTMLImageElement) => each.naturalWidth))
      .toBeGreaterThan(0);

    await openOffer("get-resource-links");
    await press(t("tools.call"));
    await answer()
      .getByText(/^demo:\/\//)
      .first()
      .waitFor();
    expect(await answer().getByRole("link").count()).toBe(0);

    await openOffer("get-structured-content");
    await field("location").selectOption({ index: 1 });
    await press(t("tools.call"));
    await answer().getByText(t("tools.structured")).click();
    await answer().getByText('"temperature"').first().waitFor();

    await openOffer("echo");
    await field("message").fill("x".repeat(150_000));
    await press(t("tools.call"));
    await answer()
      .getByText(t("tools.cut", { size: "150 kB" }))
      .waitFor();
    const download = page.waitForEvent("download");
    await answer()
      .getByRole("button", { name: t("tools.download") })
      .click();
    expect((await download).suggestedFilename()).toBe("answer.txt");
    expect(failures).toEqual([]);
  });

  test("ask a model and a person, whom the page lets answer", async () => {
    await openOffer("trigger-sampling-request");
    await field("prompt").fill("Write a poem");
    await press(t("tools.call"));
    await page
      .getByRole("region", { name: t("tools.sampling") })
      .getByText("Write a poem")
      .waitFor();
    expect(await listViolations(page)).toEqual([]);
    await page.getByLabel(t("tools.samplingAnswer")).fill("a poem by hand");
    await press(t("tools.samplingSend"));
    await answer().getByText("a poem by hand").waitFor();

    await openOffer("trigger-elicitation-request");
    await press(t("tools.call"));
    const asked = page.getByRole("region", { name: t("tools.elicitation") });
    await asked
      .getByLabel(/^String/)
      .first()
      .fill("Ada");
    expect(await listViolations(page)).toEqual([]);
    await asked.getByRole("button", { name: t("tools.accept") }).click();
    await answer().getByText("Ada").first().waitFor();

    await press(t("tools.call"));
    await asked.getByRole("button", { name: t("tools.decline") }).click();
    await answer()
      .getByText(/declined/i)
      .first()
      .waitFor();
  });

  test("can be cancelled, and the page says so", async () => {
    await openOffer("trigger-long-running-operation");
    await choose(t("form.json"));
    await page.getByRole("textbox", { name: t("form.json") }).fill('{"duration": 500, "steps": 5}');
    await press(t("tools.call"));
    await page.getByText(t("tools.running")).waitFor();
    await press(t("tools.cancel"));
    await page.getByText(t("tools.cancelled")).waitFor();
  });

  test("stand beside prompts and resources, which are read the same way", async () => {
    await openOffer("args-prompt", "prompts");
    await field("city").fill("Rome");
    await press(t("tools.get"));
    await answer().getByText(/Rome/).waitFor();
    await answer().getByText("user", { exact: true }).waitFor();

    await page.goto(`${address}servers/it/tools?kind=resources`);
    await page.getByRole("listitem").getByRole("link").filter({ hasText: /text/i }).first().click();
    await press(t("tools.read"));
    await answer().waitFor();
  });

  test("have nothing that axe objects to and do not scroll sideways, in both themes and four widths", async () => {
    const found: string[] = [];
    for (const [kind, item] of [
      ["tools", "get-structured-content"],
      ["tools", "gzip-file-as-resource"],
      ["prompts", "args-prompt"],
      ["resources", ""],
    ] as const) {
      await openOffer(item, kind);
      await page.getByLabel(t("tools.search")).waitFor();
      await page.getByText(t("app.loading")).waitFor({ state: "hidden" });
      if (item === "get-structured-content") {
        await field("location").selectOption({ index: 1 });
        await press(t("tools.call"));
        await answer().waitFor();
      }
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await listViolations(page)).map((violation) => `${item} ${colorScheme}: ${violation}`));
      }
      for (const width of [360, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (overflow > 0) found.push(`${item} is ${overflow} px wider than ${width} px`);
      }
    }
    expect(found).toEqual([]);
  });

  test("may say and answer anything: nothing of it is HTML, runs, or opens unseen, and the form holds or gives way to JSON", async () => {
    await page.route("**/workloads/it/tools", (route) => route.fulfill({ json: { tools: HOSTILE_TOOLS } }));
    await page.route("**/workloads/it/calls", (route) =>
      route.fulfill({ contentType: "application/x-ndjson", body: HOSTILE_CALL }),
    );
    await openOffer("<img src=x onerror=alert(1)>");
    await page.getByRole("heading", { level: 2, name: "<img src=x onerror=alert(1)>" }).waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    await page.getByText(t("form.noForm")).waitFor();

    await press(t("tools.call"));
    await answer().getByText("<script>alert(1)</script>").waitFor();
    await answer()
      .getByText(t("tools.cut", { size: "5.0 MB" }))
      .waitFor();
    await answer().locator("audio").waitFor();
    await answer().getByText("javascript:alert(1)").waitFor();
    const links = await answer().getByRole("link").all();
    expect(await Promise.all(links.map((link) => link.textContent()))).toEqual(["https://evil.example/?a=b"]);
    expect(await answer().locator("script, iframe, object, embed").count()).toBe(0);
    expect(await listViolations(page)).toEqual([]);

    await openOffer("forty");
    await page.getByText(t("form.more", { count: 40 })).click();
    await field("p39").fill("last");
    await page.getByText(`thv mcp call it forty --json '{"p39":"last"}'`).waitFor();
    expect(await listViolations(page)).toEqual([]);

    await openOffer("nested");
    await press(t("form.addItem", { label: "places" }));
    await field("city").fill("רומא");
    await field("either").fill('"one"');
    await page.getByText(`--json '{"places":[{"city":"רומא"}],"either":"one"}'`).waitFor();

    await openOffer("wrong");
    await page.getByText(t("form.noForm")).waitFor();
    await page.unroute("**/workloads/it/tools");
    await page.unroute("**/workloads/it/calls");
    expect(failures).toEqual([]);
  });

  test("are not asked for while the server is stopped", async () => {
    await runThv(["stop", "it"], { home, engine });
    await page.goto(`${address}servers/it/tools`);
    await page.getByText(t("tools.stopped")).waitFor();
    expect(await listViolations(page)).toEqual([]);
  });
});
