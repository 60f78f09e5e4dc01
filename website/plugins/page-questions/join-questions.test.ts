import { expect, test } from "vitest";
import { joinQuestions } from "./join-questions.ts";

test("questions leave the front matter, those of a section behind its anchor", () => {
  const { text, rest } = joinQuestions({
    title: "Run",
    questions: ["How do I run a server?", "Which port has it?"],
    sectionQuestions: { "choose-the-port": ["How do I choose a port?", "Is 8080 free?"] },
  });

  expect(text).toBe("How do I run a server? Which port has it? #choose-the-port How do I choose a port? Is 8080 free?");
  expect(rest).toEqual({ title: "Run" });
});

test("a page without questions stays as it is", () => {
  expect(joinQuestions({ title: "Run" })).toEqual({ text: "", rest: { title: "Run" } });
});
