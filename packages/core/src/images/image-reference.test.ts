import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSameRepository, parseImageReference } from "./image-reference.ts";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

// The grammar as published with the reference library (pkg.go.dev/github.com/distribution/reference), piece by piece.
const label = fc.stringMatching(/^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?$/);
const host = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join(".")),
  fc
    .ipV6()
    .filter((address) => !address.includes("."))
    .map((address) => `[${address}]`),
);
const port = fc.option(fc.integer({ min: 0, max: 65_535 }).map(String), { nil: undefined });
const separator = fc.oneof(
  fc.constantFrom(".", "_", "__"),
  fc.integer({ min: 1, max: 4 }).map((n) => "-".repeat(n)),
);
const alphanumeric = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const component = fc
  .tuple(
    alphanumeric,
    fc.array(
      fc.tuple(separator, alphanumeric).map((pair) => pair.join("")),
      { maxLength: 3 },
    ),
  )
  .map(([first, rest]) => first + rest.join(""));
const repository = fc
  .tuple(
    fc.option(
      fc.tuple(host, port).map(([name, number]) => (number === undefined ? name : `${name}:${number}`)),
      {
        nil: undefined,
      },
    ),
    fc.array(component, { minLength: 1, maxLength: 4 }).map((components) => components.join("/")),
  )
  .map(([registry, path]) => (registry === undefined ? path : `${registry}/${path}`));
const tag = fc.option(fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/), { nil: undefined });
const digest = fc.option(
  fc
    .tuple(
      fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,5}(?:[+._-][A-Za-z][A-Za-z0-9]{0,5}){0,2}$/),
      fc.stringMatching(/^[0-9a-fA-F]{32,64}$/),
    )
    .map((pair) => pair.join(":")),
  { nil: undefined },
);

/** What a name may hold, and what must not get into one. */
const anyCharacter = fc.constantFrom(..."aZ0._-/:@[]+$&;|`\\ \n\0ü\u202e");

describe("parseImageReference", () => {
  test.each([
    ["alpine", "alpine", undefined, undefined],
    ["alpine:3", "alpine", "3", undefined],
    ["mcp/everything", "mcp/everything", undefined, undefined],
    ["ghcr.io/acme/weather-mcp:1.4.0", "ghcr.io/acme/weather-mcp", "1.4.0", undefined],
    ["localhost:5000/echo", "localhost:5000/echo", undefined, undefined],
    ["localhost:5000/echo:latest", "localhost:5000/echo", "latest", undefined],
    [`mcp/echo@${DIGEST}`, "mcp/echo", undefined, DIGEST],
    [`mcp/echo:1@${DIGEST}`, "mcp/echo", "1", DIGEST],
    ["[2001:db8::1]:5000/echo:1", "[2001:db8::1]:5000/echo", "1", undefined],
    ["a__b/c--d", "a__b/c--d", undefined, undefined],
  ])("takes %s apart", (reference, repo, tagName, digestText) => {
    expect(parseImageReference(reference)).toEqual({ repository: repo, tag: tagName, digest: digestText });
  });

  test.each([
    "",
    " ",
    "mcp/Everything",
    "mcp//echo",
    "/mcp/echo",
    "mcp/echo/",
    "mcp/echo:",
    "mcp/echo:.x",
    "mcp/echo@sha256:abc",
    "mcp/echo@",
    "mcp/-echo",
    "mcp/echo-",
    "mcp/a___b",
    "mcp/a..b",
    "a..b/echo",
    "-host.example/echo",
    "host-.example/echo",
    "host:port/echo",
    "https://ghcr.io/acme/echo",
    "npx://server",
    "mcp/echo:1:2",
    "mcp/echo 1",
    "mcp/echo\n",
    "../echo",
    "mcp/echo?x=1",
    `mcp/${"x".repeat(510)}`,
  ])("refuses %j", (reference) => {
    expect(() => parseImageReference(reference)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  test("takes apart whatever the published grammar makes", () => {
    fc.assert(
      fc.property(repository, tag, digest, (name, tagName, digestText) => {
        const reference = `${name}${tagName === undefined ? "" : `:${tagName}`}${digestText === undefined ? "" : `@${digestText}`}`;
        fc.pre(reference.length <= 512);

        expect(parseImageReference(reference)).toEqual({ repository: name, tag: tagName, digest: digestText });
      }),
      { numRuns: 1_000 },
    );
  });

  test("accepts nothing that could be taken for something else in a path or a query", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[a-z/:@.%?#&\\-]{1,20}$/)),
        (text) => {
          try {
            parseImageReference(text);
          } catch (error) {
            expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
            return;
          }
          expect(text).toMatch(/^[A-Za-z0-9._:/@+[\]-]+$/);
          expect(text).not.toMatch(/\.\.|\/\//);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("refuses a long near miss in a moment", () => {
    const nearMiss = `${"a-".repeat(200)}${"a.".repeat(50)}!`;

    expect(() => parseImageReference(nearMiss)).toThrow("is not an image reference");
  }, 1_000);
});

describe("a target that another program takes", () => {
  test.each([
    ["@scope/name", "npx://@scope/name"],
    ["mcp-server-fetch==1.2.3", "uvx://mcp-server-fetch==1.2.3"],
    ["@scope/name@1.2.3", "npx://@scope/name@1.2.3"],
    ["bunx://mcp-hello-world", "npx://mcp-hello-world"],
    ["npx -y @scope/name", "npx://@scope/name"],
    ["pipx://mcp-server-git", "uvx://mcp-server-git"],
    ["uvx mcp-server-git", "uvx://mcp-server-git"],
    ["docker://mcp/everything:latest", "mcp/everything:latest"],
    ["oci://ghcr.io/acme/weather:1", "ghcr.io/acme/weather:1"],
  ])("%j is answered with %j", (value, meant) => {
    expect(() => parseImageReference(value)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", hint: `Did you mean: thv run ${meant}` }),
    );
  });

  test.each(["Not An Image", "https//x", "a b c"])("%j is none", (value) => {
    expect(() => parseImageReference(value)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("lower-case") }),
    );
  });
});

test.each([
  ["mcp/echo:1", "mcp/echo@sha256:0123456789abcdef0123456789abcdef", true],
  ["localhost:5000/echo", "localhost:5000/echo:2", true],
  ["mcp/echo", "mcp/other", false],
  ["npx://echo", "npx://echo", false],
])("%s and %s are images of one repository: %s", (left, right, is) => {
  expect(isSameRepository(left, right)).toBe(is);
});
