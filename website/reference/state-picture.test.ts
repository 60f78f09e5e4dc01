/** The picture of the states shows what the state machine allows, in both modes. */
import { STATUS_TRANSITIONS, WORKLOAD_STATUSES } from "@toolhive/core/workload-status";
import { parseFragment } from "parse5";
import { describe, expect, test } from "vitest";
import { statePicture } from "./state-picture.ts";

describe.each(["light", "dark"] as const)("the %s picture of the states", (mode) => {
  test("has one mark for each change that is possible", () => {
    const changes = Object.values(STATUS_TRANSITIONS).flat().length;

    expect(statePicture(mode).match(/<circle /g)).toHaveLength(changes);
  });

  test("says the same in words for those who do not see it", () => {
    const svg = statePicture(mode);

    expect(svg).toContain("<title>Which state of a workload may follow which</title>");
    for (const status of WORKLOAD_STATUSES) {
      const [, followers = ""] = new RegExp(`<desc>.*\\b${status}: ([^.]*)\\.`).exec(svg) ?? [];
      expect(new Set(followers.split(", "))).toEqual(new Set(STATUS_TRANSITIONS[status]));
    }
    expect(parseFragment(svg).childNodes[0]?.nodeName).toBe("svg");
  });
});
