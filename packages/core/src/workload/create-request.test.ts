import { isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ThvError } from "../support/errors.ts";
import { draftRunConfig, listRequestProblems } from "./create-request.ts";
import { type CreateRequest, REQUEST_CONSTRAINTS } from "./create-request-schema.ts";

const NOW = new Date("2026-01-02T03:04:05.678Z");
const draft = (request: Partial<CreateRequest>) => draftRunConfig({ image: "mcp/echo:1", ...request }, NOW);

function catchRefusal(request: Partial<CreateRequest>): ThvError {
  try {
    draft(request);
  } catch (error) {
    if (error instanceof ThvError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("draftRunConfig", () => {
  test("fills in what was not said", () => {
    expect(draft({})).toEqual({
      name: "echo",
      container_name: "echo",
      base_name: "echo",
      image: "mcp/echo:1",
      cmd_args: [],
      transport: "stdio",
      proxy_mode: "streamable-http",
      host: "127.0.0.1",
      env_vars: {},
      desired_state: "running",
      created_at: "2026-01-02T03:04:05.678Z",
    });
  });

  test("takes over what was said", () => {
    expect(
      draft({ name: "echo", host: "0.0.0.0", cmd_arguments: ["-v", "x"], env_vars: ["A=1", "B=x=y", "C="] }),
    ).toMatchObject({
      name: "echo",
      container_name: "echo",
      host: "0.0.0.0",
      cmd_args: ["-v", "x"],
      env_vars: { A: "1", B: "x=y", C: "" },
    });
  });

  test.each(["sse", "streamable-http"] as const)("a server that speaks %s gets a port to listen on", (transport) => {
    expect(draft({ transport, target_port: 3001 })).toMatchObject({ transport, target_port: 3001 });
    expect(draft({ transport }).target_port).toBeGreaterThanOrEqual(10_000);
  });

  test("keeps labels, and names each that is none", () => {
    expect(draft({ labels: { team: "maps", "example.org/tier": "" } }).container_labels).toEqual({
      team: "maps",
      "example.org/tier": "",
    });
    expect(draft({ labels: {} })).not.toHaveProperty("container_labels");

    const { code, message } = catchRefusal({ labels: { "a b": "1", "toolhive-name": "x", good: "1", team: "c d" } });

    expect(code).toBe("INVALID_ARGUMENT");
    for (const part of ['"a b"', '"toolhive-name"', '"team"', '"c d"']) expect(message).toContain(part);
    expect(message).not.toContain("good");
  });

  test("lists every problem at once", () => {
    const { code, message } = catchRefusal({
      transport: "inspector",
      target_port: -2,
      host: "999.1.1.1",
      proxy_port: 70_000,
      env_vars: ["NOVALUE", "=x", "A=\0", "A\nB=1"],
    });

    expect(code).toBe("INVALID_ARGUMENT");
    expect(message.split("; ")).toEqual([
      'transport "inspector" cannot be run: use stdio, sse or streamable-http',
      "target port -2 is not between 1 and 65535",
      'host "999.1.1.1" is neither an IPv4 nor an IPv6 address',
      "proxy port 70000 is not between 1 and 65535",
      'environment variable "NOVALUE" is not KEY=VALUE',
      'environment variable "" is not KEY=VALUE',
      'environment variable "A" holds a NUL character',
      'the name of the environment variable "A\\nB" holds a control character',
    ]);
  });

  test.each([-1, 65_536, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses the port %s", (proxy_port) => {
    expect(catchRefusal({ proxy_port }).message).toContain("is not between 1 and 65535");
  });

  test("takes the port 0 for one that was left out", () => {
    expect(draft({ proxy_port: 0, target_port: 0, transport: "sse" }).target_port).toBeGreaterThanOrEqual(10_000);
  });

  const NO_ADDRESSES = ["example.com", "1.2.3", "1.2.3.4.5", "1.2.3.256", "0x7f.0.0.1", " 127.0.0.1", "1e1.1.1.1"];
  test.each([...NO_ADDRESSES, ":", "::1::", "1:2:3:4:5:6:7", "fe80::1%eth0", "[::1]:80"])(
    "refuses to listen on %j",
    (host) => {
      expect(catchRefusal({ host }).message).toBe(`host "${host}" is neither an IPv4 nor an IPv6 address`);
    },
  );

  test.each(["127.0.0.1", "0.0.0.0", "192.168.1.7", "localhost", "::1", "::", "fd00::5"])("listens on %s", (host) => {
    expect(draft({ host }).host).toBe(host);
  });

  test.each(["[::1]", "0:0:0:0:0:0:0:1"])("listens on %s, whose short form is ::1", (host) => {
    expect(draft({ host }).host).toBe("::1");
  });

  test("documents every IPv6 address without a dotted part or a zone as a host, and no other text of its characters", () => {
    const pattern = new RegExp(String(REQUEST_CONSTRAINTS.host.documented.pattern));
    const texts = fc.oneof(fc.ipV6(), fc.string({ unit: fc.constantFrom(..."019afAF:"), maxLength: 40 }));
    fc.assert(fc.property(texts, (text) => pattern.test(text) === (isIPv6(text) && !text.includes("."))));
  });

  test.each([
    ["127.0.0.2", "127.0.0.2"],
    ["localhost", "127.0.0.1"],
    ["", undefined],
  ])("takes %j as the host of the server's port for %j", (target_host, kept) => {
    expect(draft({ transport: "sse", target_host }).target_host).toBe(kept);
  });

  test.each(["0.0.0.0", "192.168.1.2", "example.com", "127.1"])(
    "refuses to offer a server's own port at %s",
    (target_host) => {
      expect(catchRefusal({ transport: "sse", target_host }).message).toContain(
        `target host "${target_host}" is not a loopback address`,
      );
    },
  );

  test("refuses an image and a name that are none", () => {
    expect(catchRefusal({ image: "Not An Image" }).code).toBe("INVALID_ARGUMENT");
    expect(catchRefusal({ name: "a/b" }).code).toBe("INVALID_WORKLOAD_NAME");
  });

  test("keeps every environment variable, whatever its name, and splits at the first equals sign", () => {
    const name = fc.oneof(
      fc.constantFrom("__proto__", "constructor", "0", "toString"),
      fc.stringMatching(/^[^=\p{Cc}]+$/u),
    );
    const value = fc.string({ unit: fc.constantFrom(..."aZ0=,\n\t\"'$ü😀") });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), (entries) => {
        const { env_vars } = draft({ env_vars: entries.map(([key, text]) => `${key}=${text}`) });

        expect(new Map(Object.entries(env_vars))).toEqual(new Map(entries));
      }),
    );
  });

  test("never repeats the value of an environment variable", () => {
    fc.assert(
      fc.property(fc.constantFrom("=", "A=\0", "A\0=", "TOKEN=\0=", "=A="), (start) => {
        const { message, hint, detail } = catchRefusal({ env_vars: [`${start}hunter2-s3cret`] });

        expect([message, hint, detail].join()).not.toContain("hunter2");
      }),
    );
  });
});

test.each(["root", "1000:", ":5", "-1", "007", "1.5", "2147483648", "1:2147483648", "1:2:3", ""])(
  'the user "%s" is refused by what is wrong with it',
  (user) => {
    expect(listRequestProblems({ image: "mcp/echo:1", user })).toEqual([
      { path: ["user"], sentence: expect.stringContaining("UID or UID:GID") },
    ]);
  },
);

test.each(["0", "1000", "1000:1000", "2147483647:0"])("the user %s is kept", (user) => {
  expect(listRequestProblems({ image: "mcp/echo:1", user })).toEqual([]);
  expect(draftRunConfig({ image: "mcp/echo:1", user }, new Date())).toMatchObject({ user });
  expect(user).toMatch(new RegExp(REQUEST_CONSTRAINTS.user.documented.pattern as string));
});
