/** Every flag of `thv run`, every member of a create request and of a project file has its counterparts, or stands here. */
import { buildProjectJsonSchema, CreateRequestSchema } from "@toolhive/core";
import { findMemberNames } from "@toolhive/core/request-members";
import { expect, test } from "vitest";
import { RUN } from "../src/commands/run/definition.ts";

type Schema = { readonly properties?: Readonly<Record<string, Schema>> };

/** Members that have members with a flag of their own. */
const OWNERS = ["limits", "oidc", "telemetry", "oauth_config", "header_forward"];
const properties = (CreateRequestSchema as unknown as Schema).properties ?? {};
const paths = Object.entries(properties).flatMap(([member, schema]) =>
  OWNERS.includes(member) ? Object.keys(schema.properties ?? {}).map((name) => [member, name]) : [[member]],
);
const { definitions } = buildProjectJsonSchema() as { definitions: { ProjectServer: { properties: object } } };
const fileMembers = Object.keys(definitions.ProjectServer.properties);

/** Members that no flag sets. */
const WITHOUT_FLAG = ["image", "url", "image_digest", "provenance", "oauth_config.use_pkce"];
/** Flags that say how the command works, that are another way to say the same, or that store a secret. */
const OTHER_FLAGS = [
  ...["port", "from-config", "yes", "dry-run", "format", "foreground", "env-from", "env-file", "remote-auth-timeout"],
  ...["remote-auth-client-secret-file", "remote-auth-bearer-token-file"],
];
/** Both are `permission_profile` in a request. */
const PROFILES = ["permission_profile", "permissions"];

test("each member of a request has a flag that there is", () => {
  const flags = Object.keys(RUN.flags).map((name) => `--${name}`);
  for (const path of paths) {
    const { flag } = findMemberNames(path);
    if (WITHOUT_FLAG.includes(path.join("."))) expect([path, flag]).toEqual([path, undefined]);
    else expect([...flags, "-- ARGUMENTS"], path.join(".")).toContain(flag);
  }
});

test("each flag is that of a member", () => {
  const named = new Set([...paths, ["oauth_config"]].map((path) => findMemberNames(path).flag));
  const others = Object.keys(RUN.flags).filter((name) => !named.has(`--${name}`));

  expect(others.sort()).toEqual([...OTHER_FLAGS].sort());
});

test("each member of a project file is that of a request", () => {
  const named = new Set(paths.map((path) => findMemberNames(path).file));

  expect([...named].filter((name) => name !== undefined && !fileMembers.includes(name))).toEqual([]);
  expect(fileMembers.filter((name) => !named.has(name))).toEqual(PROFILES.slice(1));
});
