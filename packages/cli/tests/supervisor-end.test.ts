/** What stays in clients' settings when the supervisor ends. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

const WAIT = { timeout: 20_000, interval: 10 };

test("entries stay when the supervisor ends, because the next one brings the servers back at the same addresses", async () => {
  await using world = await ServedThv.start();
  const cursor = join(world.served.home, ".cursor", "mcp.json");
  await mkdir(join(cursor, ".."));
  await writeFile(cursor, "{}");
  await world.call(["client", "register", "cursor"]);
  await world.call(["run", "--name", "echo", "mcp/echo:1"]);
  await vi.waitFor(async () => expect(await readFile(cursor, "utf8")).toContain('"echo"'), WAIT);
  const before = await readFile(cursor, "utf8");

  await world.served.supervisor.close({ keepContainers: false });
  await world.served.clients.follow(() => world.served.supervisor.list());

  expect(await readFile(cursor, "utf8")).toBe(before);
});
