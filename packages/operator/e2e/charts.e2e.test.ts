/** The charts: what they write, and what they refuse. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { findHelm, findHelmObstacle, findRepositoryRoot } from "@toolhive/testing";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { METRICS_LABEL } from "../src/contract/index.ts";

const CHARTS = join(findRepositoryRoot(), "deploy/charts");
const OPERATOR = join(CHARTS, "toolhive-operator");
const CRDS = join(CHARTS, "toolhive-operator-crds");

const execute = promisify(execFile);
/** @throws {Error} With what Helm says. */
async function helm(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await execute(findHelm(), args, { env: { ...process.env, ...env }, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

// biome-ignore lint/suspicious/noExplicitAny: manifests have any form.
type Manifest = any;
async function render(...flags: string[]): Promise<Manifest[]> {
  const text = await helm(["template", "toolhive-operator", OPERATOR, "--namespace", "toolhive-system", ...flags]);
  return parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
}
const findKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((each) => each.kind === kind);

const obstacle = findHelmObstacle();

describe.skipIf(obstacle !== undefined)(`the charts${obstacle === undefined ? "" : ` (skipped: ${obstacle})`}`, () => {
  test.each([
    ["toolhive-operator", OPERATOR],
    ["toolhive-operator-crds", CRDS],
  ])("%s has nothing that Helm objects to", async (_name, chart) => {
    expect(await helm(["lint", "--strict", chart])).toContain("0 chart(s) failed");
  });

  test("give the operator of the whole cluster what it needs, and no right to read logs or run commands", async () => {
    const manifests = await render();
    const [role] = findKind(manifests, "ClusterRole");
    const granted = role.rules.flatMap((rule: Manifest) => rule.resources as string[]);

    expect(findKind(manifests, "ClusterRoleBinding")).toHaveLength(1);
    expect(granted).not.toContain("*");
    expect(granted).not.toContain("pods/exec");
    expect(granted).not.toContain("pods/log");
    expect(role.rules.find((rule: Manifest) => rule.resources.includes("secrets")).verbs).toEqual([
      ...["get", "list", "watch"],
      // Of the keys that seal session ids, where a server has replicas.
      ...["create", "patch", "delete"],
    ]);
    const [deployment] = findKind(manifests, "Deployment");
    const [container] = deployment.spec.template.spec.containers;
    expect(container.args).toEqual(["operator", "--leader-elect"]);
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    expect(container.env.map(({ name }: Manifest) => name)).not.toContain("WATCH_NAMESPACE");
  });

  test("bind the operator in the listed namespaces only, to the account that it runs as", async () => {
    const manifests = await render(
      "--set=operator.rbac.scope=namespace",
      "--set=operator.rbac.allowedNamespaces={a,b}",
      "--set=operator.serviceAccount.name=other",
    );
    const bindings = findKind(manifests, "RoleBinding");

    expect(findKind(manifests, "ClusterRoleBinding")).toEqual([]);
    expect(bindings.map(({ metadata }) => metadata.namespace).sort()).toEqual(["a", "b", "toolhive-system"]);
    expect(bindings.flatMap(({ subjects }) => subjects.map(({ name }: Manifest) => name))).toEqual(
      Array.from({ length: 3 }, () => "other"),
    );
    const [deployment] = findKind(manifests, "Deployment");
    const { env } = deployment.spec.template.spec.containers[0];
    expect(env).toContainEqual({ name: "WATCH_NAMESPACE", value: "a,b" });
  });

  test.each([
    ["a list of namespaces that is empty", "operator.rbac.scope=namespace", "allowedNamespaces"],
    ["an unknown scope", "operator.rbac.scope=galaxy", "scope"],
    ["a value that nobody knows", "operator.replicas=3", "replicas"],
    ["variables that are no list", "operator.env.A=b", "env"],
    ["a port that is none", "operator.networkPolicy.apiServerPorts={70000}", "apiServerPorts"],
  ])("refuse %s, and name it", async (_case, value, named) => {
    await expect(render("--set", value)).rejects.toThrow(named);
  });

  test("let servers have the node only where a value says so", async () => {
    const read = async (...flags: string[]) => {
      const [deployment] = findKind(await render(...flags), "Deployment");
      const { env } = deployment.spec.template.spec.containers[0];
      return env.find(({ name }: Manifest) => name === "TOOLHIVE_ALLOW_PRIVILEGED_SERVERS").value;
    };

    expect(await read()).toBe("false");
    expect(await read("--set=operator.allowPrivilegedServers=true")).toBe("true");
    await expect(render("--set=operator.allowPrivilegedServers=maybe")).rejects.toThrow("allowPrivilegedServers");
  });

  test.each(["watchNamespace", "operator.watchNamespace"])(
    "refuse a value of other charts, such as %s",
    async (value) => {
      await expect(render(`--set=${value}=team-a`)).rejects.toThrow("watchNamespace");
    },
  );

  test("make options of the values that say so", async () => {
    const options = ["autoscaling", "podDisruptionBudget", "serviceMonitor", "networkPolicy"];
    const manifests = await render(...options.map((name) => `--set=operator.${name}.enabled=true`));

    for (const kind of ["HorizontalPodAutoscaler", "PodDisruptionBudget", "ServiceMonitor", "NetworkPolicy"]) {
      expect(findKind(manifests, kind)).toHaveLength(1);
    }
  });

  test("find the metrics of servers where the operator works, by the label of their Services", async () => {
    const scope = ["--set", "operator.rbac.scope=namespace", "--set", "operator.rbac.allowedNamespaces={a,b}"];
    const enabled = ["--set", "operator.serversMonitor.enabled=true"];

    const [everywhere] = findKind(await render(...enabled), "ServiceMonitor");
    const [somewhere] = findKind(await render(...enabled, ...scope), "ServiceMonitor");

    expect(everywhere.spec).toMatchObject({
      selector: { matchLabels: { [METRICS_LABEL]: "true" } },
      namespaceSelector: { any: true },
      endpoints: [{ port: "http", path: "/metrics" }],
    });
    expect(somewhere.spec.namespaceSelector).toEqual({ matchNames: ["a", "b"] });
  });

  test("are what the plain manifests are made from", async () => {
    const script = join(findRepositoryRoot(), "scripts/write-manifests.mjs");

    await expect(
      execute(process.execPath, [script, "--check"], { env: { ...process.env, HELM: findHelm() } }),
    ).resolves.toMatchObject({ stdout: expect.stringContaining("up to date") });
  });
});
