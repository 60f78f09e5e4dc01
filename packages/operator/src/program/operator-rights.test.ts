/** What the operator may do in a cluster, as its manifest says and as the operator overview lists it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findRepositoryRoot } from "@toolhive/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

describe("the operator's rights in the whole cluster", () => {
  let rules: readonly Rule[] = [];
  let ownRules: readonly Rule[] = [];
  beforeAll(async () => {
    const manifest = await readFile(join(findRepositoryRoot(), "deploy/kustomize/operator.yaml"), "utf8");
    const objects = parseAllDocuments(manifest).map((document) => document.toJS());
    rules = objects.find(({ kind }) => kind === "ClusterRole").rules;
    ownRules = objects.find(({ kind }) => kind === "Role").rules;
  });
  const listVerbs = (resource: string) => [
    ...new Set(rules.filter(({ resources }) => resources.includes(resource)).flatMap(({ verbs }) => verbs)),
  ];
  const listWith = (verb: string) =>
    [...new Set(rules.filter(({ verbs }) => verbs.includes(verb)).flatMap(({ resources }) => resources))].sort();

  test("let it create what a server consists of, attach to pods, change them and write events, and nothing else", () => {
    expect(listWith("create")).toEqual(
      [
        ...["configmaps", "services", "serviceaccounts", "deployments", "statefulsets", "roles", "rolebindings"],
        ...["networkpolicies", "poddisruptionbudgets", "secrets", "pods/attach", "events"],
      ].sort(),
    );
    expect(listVerbs("mcpservers")).toEqual(["get", "list", "watch", "update", "patch"]);
    expect(listVerbs("pods")).toEqual(["get", "list", "watch", "patch"]);
    for (const resource of ["mcptoolconfigs", "nodes", "namespaces"]) {
      expect(listVerbs(resource), resource).toEqual(["get", "list", "watch"]);
    }
  });

  test("do not let it give others a right of the whole cluster, such as to review tokens", () => {
    const resources = rules.flatMap((rule) => rule.resources);
    const verbs = rules.flatMap((rule) => rule.verbs);

    expect(resources.filter((name) => name === "*" || /^cluster|reviews$/.test(name))).toEqual([]);
    for (const verb of ["*", "bind", "escalate", "impersonate"]) expect(verbs).not.toContain(verb);
  });

  test("are all in the overview's table", async () => {
    const file = join(findRepositoryRoot(), "website/docs/toolhive/guides-k8s/intro.mdx");
    const lines = (await readFile(file, "utf8")).split("\n");
    const row = lines.find((line) => line.startsWith("| Operator |"))?.toLowerCase() ?? "";

    const resources = [...rules, ...ownRules].flatMap((rule) => rule.resources).filter((name) => !name.includes("/"));
    expect([...new Set(resources)].filter((name) => !row.includes(name))).toEqual([]);
    expect(row).toContain("attach to pods");
  });
});
