import { describe, expect, it } from "vitest";
import { sortProblem } from "./field-problems.ts";

describe("what is wrong with a request", () => {
  it("stands beside the fields that it is about, and the rest at the end", () => {
    const problem = {
      message: 'Failed to create run config: url "x" is wrong; header_forward has "Cookie"; header_forward has "Host"',
      hint: "Look it up.",
      problems: ['url "x" is wrong', 'header_forward has "Cookie"', 'header_forward has "Host"', "labels are wrong"],
    };
    expect(sortProblem(problem)).toEqual({
      fields: { url: 'url "x" is wrong', headers: 'header_forward has "Cookie"; header_forward has "Host"' },
      rest: { message: "labels are wrong", hint: "Look it up.", problems: [] },
    });
  });

  it("finds the field of a single sentence behind the text of the operation", () => {
    const { fields, rest } = sortProblem({
      message: 'Failed to create run config: url "http://x" begins with http://',
    });
    expect([fields, rest]).toEqual([{ url: 'url "http://x" begins with http://' }, undefined]);
  });

  it("is left as it is when no field has to do with it", () => {
    const problem = { message: "Workload already exists", code: "WORKLOAD_EXISTS" };
    expect(sortProblem(problem)).toEqual({ fields: {}, rest: problem });
    expect(sortProblem(undefined)).toEqual({ fields: {}, rest: undefined });
  });
});
