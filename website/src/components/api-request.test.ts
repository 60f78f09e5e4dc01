import { describe, expect, test } from "vitest";
import { problemOfJson, readableBody, requestTarget } from "./api-request.ts";

const NAME = { name: "name", in: "path", required: true, example: "everything" };
const FOLLOW = { name: "follow", in: "query", required: false, example: "" };

describe("requestTarget", () => {
  test.each([
    [{ name: "everything" }, "/workloads/everything/logs"],
    [{ name: "everything", follow: "true" }, "/workloads/everything/logs?follow=true"],
    [{ name: "a/b c?" }, "/workloads/a%2Fb%20c%3F/logs"],
    [{ name: "everything", follow: "a&b" }, "/workloads/everything/logs?follow=a%26b"],
  ])("%o gives %s", (values, target) => {
    expect(requestTarget("/workloads/{name}/logs", [NAME, FOLLOW], values)).toBe(target);
  });
});

describe("readableBody", () => {
  test.each([
    ['{"a":1}', '{\n  "a": 1\n}'],
    ["Workload not found\n", "Workload not found\n"],
    ["", ""],
  ])("%j is shown as %j", (body, shown) => {
    expect(readableBody(body)).toBe(shown);
  });

  test("a long answer is cut, and says by how much", () => {
    expect(readableBody("x".repeat(50_010))).toBe(`${"x".repeat(50_000)}\n… and 10 more characters`);
  });
});

test("a body that is not JSON is refused before it is sent", () => {
  expect(problemOfJson('{"image":}')).toBe("The body is not JSON. Check its quotes, commas and braces.");
  expect(problemOfJson('{"image":"everything"}')).toBeUndefined();
});
