/** What people do with a set of servers, to the end: taken over from an editor and moved, changed, shared. */
import { describeEngines, RealImageRegistry } from "@toolhive/testing";
import { expect, test } from "vitest";
import { changeOneVariable, moveElevenServers, shareSet } from "../src/testing/journeys/journeys.ts";

const obstacle = await RealImageRegistry.findObstacle();
const title = obstacle === undefined ? "" : `, not run: ${obstacle}`;

/** Of the longest journey, whose eleven servers start twice. */
const TIMEOUT_MS = 600_000;

describeEngines("a set of servers, with $kind", { kinds: ["docker"] }, (engine) => {
  test("of an editor's settings runs as a group, and as the same group on a second machine", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { servers, tools, answers, text, token } = await moveElevenServers(engine);

    expect(servers).toEqual(
      [
        "builds",
        "calendar",
        "echo",
        "everything",
        "mail",
        "maps",
        "metrics",
        "second",
        "tickets",
        "web",
        "wiki",
      ].sort(),
    );
    expect(tools).toEqual(
      expect.arrayContaining(["ask_builds", "ask_calendar", "ask_wiki", "everything__get-sum", "web__get-sum"]),
    );
    expect(answers).toEqual(["calendar answers", "Echo: over stdio", "Echo: over HTTP"]);
    expect(text).not.toContain(token);
  });

  test("has one whose variable is changed in place and changed back, at the same URL", async () => {
    expect(await changeOneVariable(engine)).toMatchObject({
      before: "metric",
      after: "imperial",
      undone: "metric",
      isSameUrl: true,
    });
  });

  test.skipIf(obstacle !== undefined)(`goes through a real image registry to another person${title}`, async () => {
    await using registry = await RealImageRegistry.start();

    expect(await shareSet(engine, registry)).toMatchObject({
      servers: ["echo", "everything"],
      answer: "Echo: shared",
    });
  });
});
