import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ThvError } from "./errors.ts";
import { parseImageReference } from "./image-reference.ts";
import { assertWorkloadName, generateWorkloadName, MAX_WORKLOAD_NAME_LENGTH } from "./workload-name.ts";

/** What a name may hold, and what must not get into one. */
const anyCharacter = fc.constantFrom(..."aZ0._-/:@[]+$&;|`\\ \n\0ü\u202e");

describe("assertWorkloadName", () => {
  test.each(["a1", "echo", "my-server.v2_x", "0server", "A".repeat(100)])("accepts %s", (name) => {
    expect(() => assertWorkloadName(name)).not.toThrow();
  });

  // The order of the rules is part of the wire (api-behaviour 2.2): the first that is broken is reported.
  test.each([
    ["", "workload name cannot be empty"],
    ["..", "workload name contains path traversal"],
    ["..hidden", "workload name contains path traversal"],
    ["../etc", "workload name contains path traversal"],
    ["a/../../etc", "workload name contains path traversal"],
    ["./../etc", "workload name contains path traversal"],
    ["/etc/passwd", "workload name contains path traversal"],
    ["../$(id)", "workload name contains path traversal"],
    ["a/../b", "workload name can only contain alphanumeric characters, dots, hyphens, and underscores"],
    ["a$b", "workload name contains potentially dangerous characters"],
    ["a&b", "workload name contains potentially dangerous characters"],
    ["a;b", "workload name contains potentially dangerous characters"],
    ["a|b", "workload name contains potentially dangerous characters"],
    ["a`b", "workload name contains potentially dangerous characters"],
    ["a$\0b", "workload name contains potentially dangerous characters"],
    ["a\0b", "workload name contains null bytes"],
    ["a b", "workload name can only contain alphanumeric characters, dots, hyphens, and underscores"],
    ["a\n", "workload name can only contain alphanumeric characters, dots, hyphens, and underscores"],
    ["bücher", "workload name can only contain alphanumeric characters, dots, hyphens, and underscores"],
    ["a".repeat(101), "workload name too long (max 100 characters)"],
    ["-rf", "workload name must be at least two characters and start with a letter or digit"],
    [".hidden", "workload name must be at least two characters and start with a letter or digit"],
    ["_x", "workload name must be at least two characters and start with a letter or digit"],
    ["a", "workload name must be at least two characters and start with a letter or digit"],
  ])("refuses %j: %s", (name, rule) => {
    expect(() => assertWorkloadName(name)).toThrow(
      expect.objectContaining({ code: "INVALID_WORKLOAD_NAME", message: `invalid workload name: ${rule}` }),
    );
  });

  test("lets through only what engines take for a container's name and what stays inside a directory", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[\w./$-]{0,110}$/)), (name) => {
        try {
          assertWorkloadName(name);
        } catch (error) {
          expect(error).toBeInstanceOf(ThvError);
          return;
        }
        expect(name).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/);
        expect(name.length).toBeLessThanOrEqual(MAX_WORKLOAD_NAME_LENGTH);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("generateWorkloadName", () => {
  const now = new Date("2025-07-20T07:24:11.900Z");

  test.each([
    ["ghcr.io/acme/weather-mcp", "ghcr-io-acme-weather-mcp-1752996251"],
    ["mcp/everything", "mcp-everything-1752996251"],
    ["localhost:5000/a_b", "localhost-5000-a-b-1752996251"],
    ["[::1]:5000/echo", "1--5000-echo-1752996251"],
  ])("names a server of %s %s", (repository, expected) => {
    expect(generateWorkloadName(repository, now)).toBe(expected);
  });

  test("makes a valid name of every image reference", () => {
    const component = fc.stringMatching(/^[a-z0-9]{1,40}(?:[._-][a-z0-9]{1,10}){0,3}$/);
    fc.assert(
      fc.property(
        fc.array(component, { minLength: 1, maxLength: 6 }),
        fc.date({ min: new Date(0), noInvalidDate: true, max: new Date("2100-01-01") }),
        (components, date) => {
          const { repository } = parseImageReference(components.join("/"));

          expect(() => assertWorkloadName(generateWorkloadName(repository, date))).not.toThrow();
        },
      ),
    );
  });
});
