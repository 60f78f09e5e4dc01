/** What can be set in the application, as the guide to it compares it with the CLI. */
import { expect, test } from "vitest";
import { hasLabel } from "../../words/member-labels.ts";
import { toAccessRequest } from "../server/access-draft.ts";
import { EMPTY_DRAFT, toRequest } from "./draft.ts";

const ACCESS = { issuer: "https://login.example.com", audience: "tools", policies: "policies.json", isAudited: true };

/** A request from forms in which every field is filled in. */
function fillForms() {
  const draft = {
    ...EMPTY_DRAFT,
    name: "weather",
    transport: "streamable-http",
    targetPort: "3000",
    args: "--verbose",
    variables: [{ id: 1, name: "UNITS", value: "metric" }],
    secrets: [{ id: 1, name: "API_KEY", value: "weather-key" }],
    volumes: "/srv/data:/data:ro",
    sleepAfter: "10m",
    followsEntry: false,
    isIsolated: true,
    hosts: "api.example.com",
  };

  return toAccessRequest(toRequest({ image: "acme/weather" }, draft), ACCESS);
}

test("the forms for a container set these members of a request, and neither its port nor telemetry", () => {
  expect(Object.keys(fillForms()).sort()).toEqual([
    ...["authz_config", "cmd_arguments", "enable_audit", "env_vars", "image", "name", "network_isolation", "oidc"],
    ...["permission_profile", "secrets", "sleep_after_seconds", "target_port", "transport", "volumes"],
  ]);
});

test("each member that a form sets is called as its field in a list of changes", () => {
  const request = fillForms();
  const members = Object.keys(request).flatMap((member) =>
    member === "oidc" ? Object.keys(request.oidc ?? {}).map((each) => `oidc.${each}`) : [member],
  );

  // A name stays, and the network is a table of its own.
  expect(members.filter((member) => !hasLabel(member)).sort()).toEqual([
    "name",
    "network_isolation",
    "permission_profile",
  ]);
});

test("a permission profile is made from the fields, and no file is asked for", () => {
  const request = toRequest(
    { image: "acme/weather" },
    { ...EMPTY_DRAFT, followsEntry: false, isIsolated: true, hosts: "api.example.com" },
  );

  expect(request.permission_profile).toEqual({
    network: { outbound: { insecure_allow_all: false, allow_host: ["api.example.com"], allow_port: [443] } },
  });
});
