import { expect, test } from "vitest";
import { readReferenceMembers } from "./reference-members.ts";

test.each([
  [
    "a builder's image is the base of a package",
    { runtime_config: { builder_image: "node:22" } },
    { base_image: "node:22" },
  ],
  ["the base image of ours stays", { base_image: "a", runtime_config: { builder_image: "b" } }, { base_image: "a" }],
  ["an entry of the registry is the image", { registry: "default", server: "fetch", image: "" }, { image: "fetch" }],
  [
    "an image is kept beside the entry's name",
    { registry: "default", server: "fetch", image: "a:1" },
    { image: "a:1" },
  ],
  [
    "no network is a profile that forbids it",
    { permission_profile: { read: ["/a"], network: { mode: "none", outbound: { allow_host: ["a.example"] } } } },
    {
      permission_profile: {
        read: ["/a"],
        network: { outbound: { insecure_allow_all: false, allow_host: [], allow_port: [] } },
      },
    },
  ],
  [
    "the engine's usual network is every server's",
    { permission_profile: { network: { mode: "bridge" }, privileged: false } },
    { permission_profile: { network: {} } },
  ],
  [
    "a null is absent, however deep",
    { oidc: { issuer: null, audience: "a" }, user: null },
    { oidc: { audience: "a" } },
  ],
  [
    "a remote server's members without a value are absent",
    { url: "", oauth_config: { issuer: "", scopes: null, use_pkce: false }, header_forward: {} },
    {},
  ],
  [
    "members that nobody has set say nothing",
    { allow_docker_gateway: false, runtime_config: {}, oidc: {} },
    { oidc: {} },
  ],
])("%s", (_what, sent, members) => {
  const before = structuredClone(sent);
  const read = readReferenceMembers(sent);
  const { runtime_config: _rest, ...kept } = read.members;

  expect([kept, read.problems]).toEqual([members, []]);
  expect(sent).toEqual(before);
});

test.each([
  [{ oidc: { client_secret: "MARK" } }, "oidc.client_secret is not kept"],
  [{ oidc: { introspection_url: "https://MARK.example" } }, "oidc.introspection_url is not used"],
  [{ runtime_config: { additional_packages: ["git"] } }, "runtime_config.additional_packages are not installed"],
  [{ permission_profile: { network: { inbound: { allow_host: ["a.example"] } } } }, "allowed_hosts has the names"],
  [{ permission_profile: { privileged: true } }, "permission_profile.privileged is not possible"],
  [{ permission_profile: { network: { mode: "host" } } }, 'permission_profile.network.mode "host" is not possible'],
  [{ allow_docker_gateway: true }, "name the address of this machine in allow_host"],
  [{ registry: "mine", server: "fetch" }, 'registry "mine" does not exist'],
])("%j is refused with what to use in its place", (sent, text) => {
  const { problems } = readReferenceMembers(sent);

  expect(problems).toMatchObject([{ sentence: expect.stringContaining(text) }]);
  expect(JSON.stringify(problems)).not.toContain("MARK");
});

test.each(["permission_profile", "runtime_config", "oidc"])("%s that is no object is left to the schema", (member) => {
  expect(readReferenceMembers({ [member]: "x" })).toEqual({ members: { [member]: "x" }, problems: [] });
});
