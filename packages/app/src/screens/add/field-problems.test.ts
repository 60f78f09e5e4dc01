import { describe, expect, it } from "vitest";
import { sortProblem } from "./field-problems.ts";

describe("what is wrong with a request", () => {
  it("stands beside the fields that it is about, and the rest at the end", () => {
    const problem = {
      message: "One; Two; Three; Four",
      hint: "Look it up.",
      // Whatever the sentences say.
      problems: ["One", "Two", "Three", "Four"],
      pointers: ["/url", "/header_forward/add_plaintext_headers/Cookie", "/header_forward", "/labels/a~1b"],
    };
    expect(sortProblem(problem)).toEqual({
      fields: { url: "One", headers: "Two; Three" },
      rest: { message: "Four", hint: "Look it up.", problems: [], pointers: [] },
    });
  });

  it("leaves nothing for the end when there is a field for all of it", () => {
    const problem = { message: "Failed: One", problems: ["One"], pointers: ["/allow_insecure_http"] };
    expect(sortProblem(problem)).toEqual({ fields: { url: "One" }, rest: undefined });
  });

  it("is left as it is when no field has to do with it", () => {
    const problem = { message: "Workload already exists", code: "WORKLOAD_EXISTS" };
    const other = { message: "One", problems: ["One"], pointers: [""] };
    expect(sortProblem(problem)).toEqual({ fields: {}, rest: problem });
    expect(sortProblem(other)).toEqual({ fields: {}, rest: other });
    expect(sortProblem(undefined)).toEqual({ fields: {}, rest: undefined });
  });
});
