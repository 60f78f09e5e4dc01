/**
 * What the specifications leave to servers, row by row: on each way through this product, the official client gets what it gets
 * without it. `UPDATE_LATITUDE=1` records what it gets directly; the differences are written by hand, with their reasons.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  LATITUDE_CHOICES,
  LATITUDE_WAYS,
  type LatitudeChoice,
  type LatitudeWay,
} from "../../src/facts/latitude/latitude.ts";
import { ProxyStarter } from "./started-proxies.ts";
import { takeWay } from "./ways.ts";

const FILE = fileURLToPath(new URL("../../src/facts/latitude/choices.json", import.meta.url));
/** A check says only whether the server is ready; a group answers GET and DELETE itself. */
const READY = "ready";

let starter: ProxyStarter;
beforeAll(async () => {
  starter = await ProxyStarter.open();
});
afterAll(async () => {
  await starter[Symbol.asyncDispose]();
});

test.each(LATITUDE_CHOICES.map((row) => [row.id, row] as const))("%s", async (id, row) => {
  const got: Partial<Record<LatitudeWay, string>> = {};
  for (const way of LATITUDE_WAYS[row.transport]) got[way] = await takeWay(way, row, starter);

  if (process.env.UPDATE_LATITUDE === "1") await record(id, got.direct ?? "");
  else expect(got).toEqual(listExpected(row));
});

function listExpected(row: LatitudeChoice): Partial<Record<LatitudeWay, string>> {
  return Object.fromEntries(
    LATITUDE_WAYS[row.transport].map((way) => {
      const difference = row.differences.find((each) => each.way === way);
      const asked = row.direct.replace(/, (?:GET|DELETE) \d+$/, "");
      const usual = way === "check" ? READY : way === "group" || way === "command" ? asked : row.direct;
      return [way, difference?.result ?? usual];
    }),
  );
}

async function record(id: string, direct: string): Promise<void> {
  const data = JSON.parse(await readFile(FILE, "utf8")) as { choices: { id: string; direct: string }[] };
  const row = data.choices.find((each) => each.id === id);
  if (row !== undefined) row.direct = direct;
  await writeFile(FILE, `${JSON.stringify(data, null, 2)}\n`);
}
