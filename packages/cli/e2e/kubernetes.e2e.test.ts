/** `thv` and a cluster: what it exports is accepted there, what is there runs here, and the doctor says what is missing. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createCrd } from "@toolhive/operator/crd";
import { createManifest, printManifest } from "@toolhive/operator/manifest";
import { describeCluster, findRepositoryRoot } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const THV = join(findRepositoryRoot(), "packages/cli/dist/thv.mjs");

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describeCluster("thv and a cluster", (cluster) => {
  let home: string;
  const mustKubectl = async (...args: string[]) => expect(await cluster.kubectl(args)).toMatchObject({ code: 0 });
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "thv-kubernetes-"));
    const definition = join(home, "crd.json");
    await writeFile(definition, JSON.stringify(createCrd()));
    await mustKubectl("apply", "--server-side", "--force-conflicts", "-f", definition);
    await mustKubectl("wait", "--for=condition=Established", "crd/mcpservers.toolhive.stacklok.dev");
  });
  afterAll(async () => {
    await rm(home, { recursive: true, force: true });
  });

  const thv = async (...args: string[]): Promise<Ended> => {
    const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: cluster.kubeconfig };
    try {
      return { code: 0, ...(await promisify(execFile)(process.execPath, [THV, ...args], { env })) };
    } catch (error) {
      return error as Ended;
    }
  };

  test("the API server accepts an exported manifest as it is, and import gives back what was exported", async () => {
    await using space = await cluster.createNamespace();
    const outbound = { insecure_allow_all: false, allow_host: [".example.com"], allow_port: [443] };
    const request = {
      name: "everything",
      image: "mcp/everything:latest",
      transport: "streamable-http",
      target_port: 3000,
      cmd_arguments: ["--price", "$(NONE) $$"],
      env_vars: ["UNITS=metric"],
      secrets: [{ name: "github-token", target: "TOKEN" }],
      labels: { team: "maps" },
      permission_profile: { network: { outbound } },
      network_isolation: true,
      user: "1000:2000",
      read_only: true,
      limits: { memory_bytes: 536_870_912, cpus: 0.5 },
      oidc: { issuer: "https://login.example.com", audience: "tools" },
      jwks_allow_private_ip: false,
      authz_config: JSON.stringify({
        version: "1.0",
        type: "cedarv1",
        cedar: { policies: ["permit(principal, action, resource);"], entities_json: "[]" },
      }),
      audit_config: "{}",
      telemetry: { endpoint: "https://collector.example.com:4318", sampling_rate: 0.25, prometheus_path: true },
    };
    const file = join(home, "everything.yaml");
    await writeFile(file, printManifest(createManifest(request)));

    await space.kubectl("apply", "--validate=strict", "-f", file);

    const imported = await thv("k8s", "import", "everything", "--namespace", space.name, "--dry-run");
    expect(imported.stderr).toBe("");
    expect(JSON.parse(imported.stdout)).toEqual(request);
  });

  test("all servers of a namespace become a project file, with what they name, and what cannot move is named", async () => {
    await using space = await cluster.createNamespace();
    const write = async (name: string, spec: object) =>
      await space.apply({
        apiVersion: "toolhive.stacklok.dev/v1alpha1",
        kind: "MCPServer",
        metadata: { name },
        spec: { image: "mcp/everything:latest", ...spec },
      });
    await space.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "few-hosts" },
      data: { "profile.json": '{"network":{"outbound":{"allow_host":["api.example.com"],"allow_port":[443]}}}' },
    });
    await write("first", { permissionProfile: { type: "configmap", name: "few-hosts", key: "profile.json" } });
    await write("second", { serviceAccount: "tools", env: [{ name: "UNITS", value: "metric" }] });
    const file = join(home, "set.yaml");

    const { code, stdout, stderr } = await thv("k8s", "import", "--all", "--namespace", space.name, "--file", file);

    expect([code, stdout]).toEqual([0, `${file} lists first, second.\n`]);
    expect(stderr).toContain("Left out: second: serviceAccount: it is for a cluster.\n");
    const text = await readFile(file, "utf8");
    expect(text).toContain("- api.example.com");
    expect(text).toContain("UNITS: metric");
  });

  test("a name that the cluster does not have is an error that names it and the command that lists the others", async () => {
    await using space = await cluster.createNamespace();

    const { code, stderr } = await thv("k8s", "import", "absent", "--namespace", space.name);

    expect(code).toBe(3);
    expect(stderr).toContain('"absent" not found');
    expect(stderr).toContain("kubectl get mcpservers,mcpremoteproxies --all-namespaces");
  });

  test("the doctor names the definition, the rights, and a server that no operator manages", async () => {
    await using space = await cluster.createNamespace();
    await space.apply({
      apiVersion: "toolhive.stacklok.dev/v1alpha1",
      kind: "MCPServer",
      metadata: { name: "lonely" },
      spec: { image: "mcp/everything:latest" },
    });

    const { stdout } = await thv("doctor", "--kubernetes", "--namespace", space.name, "--format", "json");
    const findings = JSON.parse(stdout);

    expect(findings).toContainEqual(
      expect.objectContaining({ check: "API server", status: "ok", message: expect.stringContaining("v1.35") }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: "definition", status: "ok" }));
    expect(findings).toContainEqual(expect.objectContaining({ check: "rights", status: "ok" }));
    expect(findings).toContainEqual(expect.objectContaining({ check: `${space.name}/lonely`, status: "warn" }));
  });
});
