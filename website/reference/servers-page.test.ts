import type { TriedServer } from "@toolhive/cli/facts/results";
import { describe, expect, test } from "vitest";
import { serversPage } from "./servers-page.ts";

const COUNTS = { tools: 2, prompts: 1, resources: 0 };
const SAME = { seconds: 9, differences: [] };
const works: TriedServer = {
  package: "npx://works",
  date: "2026-11-26",
  version: "1.2.3",
  direct: COUNTS,
  through: { ...COUNTS, seconds: 31, differences: [] },
  restarted: SAME,
  isolated: SAME,
};
const differs: TriedServer = {
  ...works,
  package: "uvx://differs",
  through: { ...COUNTS, tools: 1, seconds: 5, differences: ["tools: 2 and 1"] },
};
const refused: TriedServer = { package: "npx://refused", date: "2026-11-25", direct: COUNTS, throughFailure: "exit 1" };
const neither: TriedServer = { package: "go://neither.example/x", date: "2026-11-24", directFailure: "needs a key" };

describe("serversPage", () => {
  test("counts the servers and shows each way of one", () => {
    const tried = [works, neither];
    const servers = [{ package: "npx://works", needs: "a key" }, { package: "go://neither.example/x" }];

    const { content } = serversPage([...servers, { package: "npx://not-tried" }], tried);

    expect(content).toContain("Of 2 servers, 1 start directly without an account. 1 of these return");
    expect(content).toContain("| `npx://works` | 1.2.3 | 2, 1, 0 | same | 31 s | same, 9 s | same, 9 s | a key |");
    expect(content).toContain("| `go://neither.example/x` | needs a key | – |");
    expect(content).toContain("between 2026-11-24 and 2026-11-26");
    expect(serversPage(servers, [works]).content).toContain("The runs took place on 2026-11-26.");
    expect(content).not.toContain("not-tried");
    expect(content).not.toContain("{#exceptions}");
  });

  test.each([differs, refused])("$package is an exception, and its reason is on the page", (tried) => {
    const { content } = serversPage([{ package: tried.package, reason: "Its browser is not in the image." }], [tried]);

    expect(content).toContain("{#exceptions}");
    expect(content).toContain(`| ${tried.throughFailure ?? "tools: 2 and 1"} | Its browser is not in the image. |`);
  });

  test("a difference without a reason, and a reason without a difference, stop the build", () => {
    expect(() => serversPage([{ package: "npx://refused" }], [refused])).toThrow("npx://refused works directly");
    expect(() => serversPage([{ package: "npx://works", reason: "old" }], [works])).toThrow("does not differ");
  });
});
