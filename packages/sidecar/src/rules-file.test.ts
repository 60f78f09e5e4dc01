import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutgoingRules } from "@toolhive/core/sidecar-rules";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rulesFile } from "./rules-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-rules-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

test("rules that are written reach whoever follows the file", async () => {
  const path = join(folder, "rules.json");
  const seen: OutgoingRules[] = [];
  rulesFile.follow((rules) => seen.push(rules), path);
  const rules = { allowAll: false, hosts: ["a.test"], ports: [443] };

  rulesFile.write(JSON.stringify(rules), path);

  await vi.waitFor(() => expect(seen.at(-1)).toEqual(rules), { timeout: 10_000 });
});

test("rules that were written before anybody followed the file are reported at once", () => {
  const path = join(folder, "rules.json");
  const rules = { allowAll: false, hosts: ["a.test"], ports: [443] };
  rulesFile.write(JSON.stringify(rules), path);
  const seen: OutgoingRules[] = [];

  rulesFile.follow((followed) => seen.push(followed), path);

  expect(seen).toEqual([rules]);
});

test.each(["", "null", "[]", "{}", '{"allowAll":true,"hosts":[1],"ports":[]}', '{"allowAll":1,"hosts":[],"ports":[]}'])(
  "%s is not written",
  async (text) => {
    const path = join(folder, "rules.json");
    await writeFile(path, "before");
    expect(() => rulesFile.write(text, path)).toThrow();
    expect(await readFile(path, "utf8")).toBe("before");
  },
);
