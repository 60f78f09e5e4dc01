/** Runs the commands of the page about servers elsewhere, on a machine without a container engine. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installBrowser } from "../install-browser.ts";
import { requireThv } from "../run-thv.ts";
import { ThrowawayHome } from "../throwaway-home.ts";
import { REMOTE_PAGE, ROOT } from "./pages.ts";
import { RemoteServices } from "./remote-services.ts";
import { runPage } from "./run-page.ts";

test("the commands on servers elsewhere print what the page shows, with a sign-in and without an engine", async () => {
  requireThv();
  await using home = await ThrowawayHome.create();
  await using services = await RemoteServices.start();
  const file = join(ROOT, REMOTE_PAGE);
  const source = await readFile(file, "utf8");

  const result = await runPage(source, {
    cwd: home.workDirectory,
    env: {
      ...home.env(),
      ...(await installBrowser(join(home.path, "bin"))),
      TERM: "dumb",
      DOCKER_HOST: "unix:///nowhere/engine.sock",
    },
    aliases: new Map([[home.path, "~"]]),
    stands: services.addresses,
    isRecording: process.env.UPDATE_DOCS === "1",
  });
  if (result.source !== source) await writeFile(file, result.source);

  expect(result.failures.join("\n\n")).toBe("");
}, 300_000);
