import { describe, expect, test } from "vitest";
import { askWhatToDo, askWhich } from "./ask-questions.ts";

describe("a question about a page that is generated", () => {
  test.each([
    ["Stop a server", "Which command stops a server?"],
    ["List and show the servers of the registry", "Which command lists and shows the servers of the registry?"],
    ["Apply a policy", "Which command applies a policy?"],
    ["Watch the log.", "Which command watches the log?"],
    [
      "List the tools of a server or a group that clients see, and which of them are hidden from them",
      "Which command lists the tools of a server or a group?",
    ],
  ])("follows from the summary: %s", (summary, question) => {
    expect(askWhich("command", summary)).toEqual([question]);
  });

  test("is not asked where the summary is no task, or too long", () => {
    expect(askWhich("command", "Runs MCP servers in containers")).toEqual([]);
    expect(askWhich("command", `Stop ${"a very long name ".repeat(6)}`)).toEqual([]);
  });

  test("about an error follows from what happened", () => {
    expect(askWhatToDo("the port is in use")).toEqual(["What do I do when the port is in use?"]);
  });
});
