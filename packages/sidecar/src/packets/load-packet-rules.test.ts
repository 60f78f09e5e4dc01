import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadPacketRules } from "./load-packet-rules.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-rules-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** A program in place of nft, which needs rights that tests do not have. */
async function program(script: string): Promise<string> {
  const path = join(directory, "nft");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe("packet rules", () => {
  test("reach nft whole, and nothing is said when it takes them", async () => {
    const copy = join(directory, "taken");
    const nft = await program(`cat > ${copy}`);

    expect(loadPacketRules("table inet toolhive {}\n", nft)).toBeUndefined();

    expect(await readFile(copy, "utf8")).toBe("table inet toolhive {}\n");
  });

  test("name what the image lacks when there is no nft", () => {
    const problem = loadPacketRules("", join(directory, "absent"));

    expect(problem).toBe("the image of the sidecar has no nft (package nftables)");
  });

  test("that are refused give nft's own words in one line", async () => {
    const nft = await program("echo 'netlink: Error:\n  cache initialization failed' >&2; exit 3");

    expect(loadPacketRules("", nft)).toMatch(/^nft ended with 3: netlink: Error:.*cache initialization failed$/);
    expect(loadPacketRules("", nft)).not.toContain("\n");
  });

  test("whose program is killed say by what", async () => {
    expect(loadPacketRules("", await program("kill -9 $$"))).toBe("nft ended with SIGKILL");
  });
});
