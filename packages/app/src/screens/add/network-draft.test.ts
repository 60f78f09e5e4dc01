/** What the form of the network asks for, compared with what the server then may reach. */
import { describeReach } from "@toolhive/core";
import { describe, expect, it, test } from "vitest";
import type { CreateRequest } from "../pasted/source.ts";
import { EMPTY_DRAFT, toCommand, toDraft, toEdited, toRequest } from "./draft.ts";
import { changeDraft, followEntry } from "./network-draft.ts";

const SOURCE: CreateRequest = { image: "mcp/echo" };

/** What a server with these settings may reach. */
function describeRequestReach({ network_isolation, permission_profile }: CreateRequest): string {
  return describeReach({
    transport: "stdio",
    isolate_network: network_isolation,
    ...(permission_profile && { permission_profile }),
  });
}

test.each([
  ["no host, which is none", { hosts: "", ports: "443" }, "Nothing, because every connection is refused."],
  ["neither a host nor a port", { hosts: "\n \n", ports: "" }, "Nothing, because every connection is refused."],
  ["hosts and a port", { hosts: "a.example\nb.example", ports: "443" }, "Only a.example and b.example, on port 443."],
  ["a host, and no port", { hosts: "a.example", ports: "" }, "Only a.example, on every port."],
  [
    "every host, on a port",
    { isEveryHost: true, ports: "443" },
    "Every host, on port 443, except this machine and its containers.",
  ],
  [
    "every host, whatever stands in the field that is not shown",
    { isEveryHost: true, hosts: "a.example", ports: "" },
    "Every host, on every port, except this machine and its containers.",
  ],
] as const)("the form with %s", (_what, form, reach) => {
  const request = toRequest(SOURCE, { ...EMPTY_DRAFT, followsEntry: false, isIsolated: true, ...form });

  expect(describeRequestReach(request)).toBe(reach);
  // Opened again, the form says the same, and saving it unchanged changes nothing.
  const again = toDraft(request);
  expect(describeRequestReach(toRequest(SOURCE, again))).toBe(reach);
  expect(toEdited(request, again)).toEqual(request);
});

test("without the limit, nothing is asked for", () => {
  expect(toRequest(SOURCE, { ...EMPTY_DRAFT, hosts: "a.example" })).toEqual(SOURCE);
});

describe("an entry of the registry", () => {
  const permissions = { network: { outbound: { allow_host: [".github.com"], allow_port: [443] } } };

  it("limits the network to what it lists, until somebody chooses something else", () => {
    const draft = followEntry(EMPTY_DRAFT, permissions);
    expect([draft.isIsolated, draft.isEveryHost, draft.hosts, draft.ports]).toEqual([
      true,
      false,
      ".github.com",
      "443",
    ]);
    const request = toRequest({ image: "github" }, draft);
    // The registry's own profile, folders and all.
    expect(request).toEqual({ image: "github", network_isolation: true });
    expect(toCommand(request)).toBe("thv run --isolate-network github");

    const other = followEntry(changeDraft(draft, { hosts: "api.github.com" }), permissions);
    expect(describeRequestReach(toRequest({ image: "github" }, other))).toBe("Only api.github.com, on port 443.");
    const off = followEntry(changeDraft(draft, { isIsolated: false }), permissions);
    expect(toRequest({ image: "github" }, off)).toEqual({ image: "github" });
  });

  it("goes on while other fields are filled in", () => {
    const draft = changeDraft(followEntry(EMPTY_DRAFT, permissions), { name: "mine" });
    expect(followEntry(draft, permissions).isIsolated).toBe(true);
  });

  it.each([
    ["no permissions", undefined],
    ["everything", { network: { outbound: { insecure_allow_all: true, allow_port: [443] } } }],
    ["nothing", { network: { outbound: {} } }],
  ])("with %s limits nothing by itself", (_what, given) => {
    const draft = followEntry(EMPTY_DRAFT, given);
    expect([draft.isIsolated, draft.followsEntry]).toEqual([false, false]);
  });
});

describe("settings that were made before", () => {
  const profile = (outbound: object, rest: object = {}) => ({ ...rest, network: { outbound } });

  it.each([
    ["every host on a port", { network_isolation: true, permission_profile: profile({ allow_port: [443] }) }],
    [
      "everything, and an address of this machine",
      {
        network_isolation: true,
        permission_profile: profile({ insecure_allow_all: true, allow_host: ["172.17.0.1"], allow_port: [443] }),
      },
    ],
    ["the profile none", { permission_profile: { name: "none", ...profile({ allow_host: [], allow_port: [] }) } }],
    ["no profile, and isolation", { network_isolation: true }],
    ["folders only", { permission_profile: { read: ["/data"] } }],
    ["rules that are not enforced", { permission_profile: profile({ allow_host: ["a.example"] }) }],
  ] as const)("with %s stay as they are while something else is edited", (_what, network) => {
    const request = { ...SOURCE, ...JSON.parse(JSON.stringify(network)) } as CreateRequest;
    const edited = toEdited(request, { ...toDraft(request), args: "--verbose" });

    expect(edited).toEqual({ ...request, cmd_arguments: ["--verbose"] });
  });

  it("with the profile none are shown as limited, and reach everything once they are not", () => {
    const request: CreateRequest = { ...SOURCE, permission_profile: profile({ allow_host: [], allow_port: [] }) };
    const draft = toDraft(request);
    expect([draft.isIsolated, draft.hosts]).toEqual([true, ""]);

    expect(describeRequestReach(toEdited(request, { ...draft, isIsolated: false }))).toMatch(
      /^Every host, on every port/,
    );
  });

  it("keep the folders of the profile when hosts change", () => {
    const request = {
      ...SOURCE,
      network_isolation: true,
      permission_profile: profile({ allow_host: ["a.example"], allow_port: [443] }, { read: ["/data"] }),
    } as CreateRequest;

    const edited = toEdited(request, { ...toDraft(request), hosts: "b.example" });

    expect(edited.permission_profile?.read).toEqual(["/data"]);
    expect(describeRequestReach(edited)).toBe("Only b.example, on port 443.");
  });
});

describe("the command that does the same", () => {
  const limited = (form: object) =>
    toCommand(toRequest(SOURCE, { ...EMPTY_DRAFT, followsEntry: false, isIsolated: true, ...form }));

  it("needs no file that nobody has", () => {
    expect(limited({ hosts: "" })).toBe("thv run --isolate-network --permission-profile none mcp/echo");
    expect(limited({ isEveryHost: true, ports: "" })).toBe(
      "thv run --isolate-network --permission-profile network mcp/echo",
    );
    expect(limited({ hosts: "a.example" })).toBe(
      `echo '{"network":{"outbound":{"insecure_allow_all":false,"allow_host":["a.example"],"allow_port":[443]}}}' | thv run --isolate-network --permission-profile /dev/stdin mcp/echo`,
    );
  });
});
