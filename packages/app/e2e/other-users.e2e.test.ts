/** What another user of the machine can learn and do while somebody uses the application in a browser. */
import { spawnSync } from "node:child_process";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "@playwright/test";
import { listEnginePairs, type OrdinaryUser, runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, printAddress } from "./open-app.ts";

/** Stands in for the program that opens a browser: it says with what it was started, and lives until its page was seen. */
const OPENER = `#!/bin/sh
printf '%s' "$*" >"$HOME/opened.new" && mv "$HOME/opened.new" "$HOME/opened"
until [ -e "$HOME/seen" ]; do sleep 0.1; done
`;
const LIST_ARGUMENTS = `for (const pid of require("fs").readdirSync("/proc")) {
  if (/^\\d+$/.test(pid)) try { console.log(require("fs").readFileSync("/proc/" + pid + "/cmdline", "utf8")) } catch {}
}`;

const pair = (await listEnginePairs()).find(({ isOrdinaryUser, isRootless }) => isOrdinaryUser && !isRootless);
describe.skipIf(pair === undefined || pair.obstacle !== undefined)(
  `another user of the machine: ${pair?.title}`,
  () => {
    let browser: Browser;
    let stranger: OrdinaryUser;
    let home: ThrowawayHome;
    beforeAll(async () => {
      browser = await launchBrowser();
      stranger = (await pair?.open())?.user as OrdinaryUser;
    });
    afterAll(async () => await browser.close());
    beforeEach(async () => {
      home = await ThrowawayHome.create();
      // Many homes may be entered; what matters is who may read the files.
      await chmod(home.path, 0o755);
    });
    afterEach(async () => await home[Symbol.asyncDispose]());

    const run = (code: string) => {
      const { uid, gid } = stranger;
      const { stdout, stderr } = spawnSync(process.execPath, ["-e", code], { uid, gid, cwd: "/", encoding: "utf8" });
      return `${stdout}${stderr}`;
    };

    test("sees no token in the arguments of the program that opens the browser, and cannot read the page that has it", async () => {
      const opener = join(home.path, "bin/xdg-open");
      await writeFile(opener, OPENER);
      await chmod(opener, 0o755);
      const { stdout } = await runThv(["ui"], { home });
      const token = /#token=(\S+)/.exec(stdout)?.[1] ?? "none";
      const opened = await waitFor(async () => await readFile(join(home.path, "opened"), "utf8").catch(() => ""), {
        what: "a browser that is opened",
      });
      const file = fileURLToPath(opened);
      const seen = run(LIST_ARGUMENTS);

      expect(seen).toContain(opened);
      expect(seen).not.toContain(token);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(run(`require("fs").readFileSync(${JSON.stringify(file)})`)).toContain("EACCES");

      const page = await (await browser.newContext()).newPage();
      await page.goto(opened);
      await page.getByText(t("connection.live")).waitFor();
      expect(page.url()).not.toContain(token);
      expect((await readdir(home.stateDirectory)).filter((name) => name.endsWith(".html"))).toEqual([]);
      await writeFile(join(home.path, "seen"), "");
      await page.context().close();
    });

    test("reaches the port, and gets nothing but the application's files", async () => {
      const { address } = await printAddress(home);
      const ask = (path: string, init: RequestInit = {}) =>
        run(
          `fetch(${JSON.stringify(`${address}${path}`)}, ${JSON.stringify(init)}).then((a) => console.log(a.status))`,
        );

      expect(ask("")).toBe("401\n");
      expect(ask("favicon.ico")).toBe("200\n");
      expect(ask("api/v1beta/workloads")).toBe("401\n");
      expect(ask("api/v1beta/events")).toBe("401\n");
      const guess = JSON.stringify({ token: "a".repeat(43) });
      const post = { method: "POST", headers: { "content-type": "application/json" } };
      expect(ask("api/v1beta/app/sessions", { ...post, body: guess })).toBe("401\n");
      expect(ask("api/v1beta/supervisor/app", { ...post, body: "{}" })).toBe("401\n");
    });

    test("reads neither the sessions nor the private socket, and has an application of its own", async () => {
      const { url, address } = await printAddress(home);
      const page = await (await browser.newContext()).newPage();
      await page.goto(url);
      await page.getByText(t("connection.live")).waitFor();
      await page.context().close();

      const socket = join(home.stateDirectory, "supervisor.sock");
      expect(
        run(`require("fs").readFileSync(${JSON.stringify(join(home.stateDirectory, "app-sessions.json"))})`),
      ).toContain("EACCES");
      expect(run(`require("net").connect(${JSON.stringify(socket)}).on("error", (e) => console.log(e.code))`)).toBe(
        "EACCES\n",
      );

      await using theirs = await ThrowawayHome.create(stranger);
      expect((await printAddress(theirs)).address).not.toBe(address);
    });
  },
);
