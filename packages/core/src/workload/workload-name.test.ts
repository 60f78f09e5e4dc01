import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ThvError } from "../support/errors.ts";
import { assertWorkloadName, generateWorkloadName, isSameName, MAX_WORKLOAD_NAME_LENGTH } from "./workload-name.ts";

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

  test.each(["con", "AUX", "nul.txt", "com1", "LPT9.a.b", "prn."])("refuses the device %s on Windows alone", (name) => {
    expect(() => assertWorkloadName(name, "win32")).toThrow("workload name is the name of a device on Windows");
    expect(() => assertWorkloadName(name, "linux")).not.toThrow();
  });

  test.each(["console", "com", "com10", "auxiliary", "my-con"])("accepts %s on Windows", (name) => {
    expect(() => assertWorkloadName(name, "win32")).not.toThrow();
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

test.each([
  ["linux", false],
  ["darwin", true],
  ["win32", true],
] as const)("on %s, names that differ in capitals alone have the same files: %s", (platform, isSame) => {
  expect(isSameName("Echo", "echo", platform)).toBe(isSame);
  expect(isSameName("echo", "echo", platform)).toBe(true);
  expect(isSameName("echo", "echo2", platform)).toBe(false);
});

describe("generateWorkloadName", () => {
  test.each([
    ["ghcr.io/acme/weather-mcp", "weather-mcp"],
    ["ghcr.io/github/github-mcp-server:v1.2", "github-mcp-server"],
    ["mcp/memory:latest", "memory"],
    ["memory", "memory"],
    [`mcp/memory@sha256:${"0".repeat(64)}`, "memory"],
    ["localhost:5000/a_b", "a_b"],
    ["[::1]:5000/echo", "echo"],
    ["mcp/x", "server-x"],
    ["npx://@modelcontextprotocol/server-memory", "server-memory"],
    ["npx://@modelcontextprotocol/server-memory@1.2.3-rc.1", "server-memory"],
    ["npx://Server@^2", "server"],
    ["npx://~odd", "odd"],
    ["uvx://mcp-server-fetch==2025.1.1", "mcp-server-fetch"],
    ["uvx://mcp[cli]", "mcp"],
    ["go://github.com/acme/tools/cmd/weather@v1.0.0", "weather"],
    ["go://example.com/weather/v2@latest", "weather"],
    ["go:///home/me/My Server", "my-server"],
    ["go:///", "server"],
  ])("calls a server of %s %s", (source, expected) => {
    expect(generateWorkloadName(source)).toBe(expected);
    expect(generateWorkloadName(source, 3)).toBe(`${expected}-3`);
  });

  test("makes a valid name of every image reference", () => {
    const component = fc.stringMatching(/^[a-z0-9]{1,40}(?:[._-][a-z0-9]{1,10}){0,3}$/);
    fc.assert(
      fc.property(
        fc.array(component, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 1_000 }),
        (components, number) => {
          expect(() => assertWorkloadName(generateWorkloadName(components.join("/"), number))).not.toThrow();
        },
      ),
    );
  });

  test("makes a valid name of every package", () => {
    const npm = fc.stringMatching(/^(?:@[A-Za-z0-9~][A-Za-z0-9._~-]{0,9}\/)?[A-Za-z0-9~][A-Za-z0-9._~-]{0,150}$/);
    fc.assert(
      fc.property(npm, (name) => {
        expect(() => assertWorkloadName(generateWorkloadName(`npx://${name}`))).not.toThrow();
      }),
    );
  });
});
