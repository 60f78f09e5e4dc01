import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutgoingRules } from "@toolhive/core/sidecar-rules";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openRulesFile } from "./rules-file.ts";

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
  openRulesFile.follow((rules) => seen.push(rules), path);
  const rules = { allowAll: false, hosts: ["a.test"], ports: [443] };

  openRulesFile.write(JSON.stringify(rules), path);

  await vi.waitFor(() => expect(seen.at(-1)).toEqual(rules), { timeout: 10_000 });
});

test.each(["", "null", "[]", "{}", '{"allowAll":true,"hosts":[1],"ports":[]}', '{"allowAll":1,"hosts":[],"ports":[]}'])(
  "%s is not written",
  async (text) => {
    const path = join(folder, "rules.json");
    await writeFile(path, "before");
    expect(() => openRulesFile.write(text, path)).toThrow();
  },
);
