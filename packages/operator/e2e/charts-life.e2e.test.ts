/** A life with the charts, on a real cluster. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describeCluster, findHelm, findHelmObstacle, findRepositoryRoot, THV_IMAGE, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";
import { callTool } from "../src/testing/mcp-caller.ts";

const CHARTS = join(findRepositoryRoot(), "deploy/charts");
const OPERATOR = join(CHARTS, "toolhive-operator");
const CRDS = join(CHARTS, "toolhive-operator-crds");

const execute = promisify(execFile);
/** @throws {Error} With what Helm says. */
async function helm(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return (await execute(findHelm(), args, { env: { ...process.env, ...env } })).stdout;
}

describeCluster(
  "a life with the charts",
  (cluster) => {
    test("installs, serves, is upgraded, and leaves every server when it is uninstalled", async () => {
      await using system = await cluster.createNamespace("system");
      await using space = await cluster.createNamespace();
      const env = { KUBECONFIG: cluster.kubeconfig };
      const image = [`--set=operator.image=${THV_IMAGE}`, "--set=operator.imagePullPolicy=Never"];
      const scope = ["--set=operator.rbac.scope=namespace", `--set=operator.rbac.allowedNamespaces={${space.name}}`];
      const install = async (...more: string[]) =>
        await helm(
          [
            "upgrade",
            "--install",
            "op",
            OPERATOR,
            "--namespace",
            system.name,
            "--wait",
            "--timeout=120s",
            ...image,
            ...scope,
            ...more,
          ],
          env,
        );
      // As somebody has it who applied the definition without Helm before.
      await space.apply(await readFile(join(CRDS, "files/mcpservers.yaml"), "utf8"));
      await helm(["upgrade", "--install", "crds", CRDS, "--namespace", system.name, "--take-ownership"], env);
      await install();

      await space.apply({
        apiVersion: "toolhive.stacklok.dev/v1alpha1",
        kind: "MCPServer",
        metadata: { name: "echo" },
        spec: { image: "docker.io/toolhive-test/echo:test" },
      });
      const read = async () => (await space.get("mcpserver/echo")).status;
      await waitFor(async () => (await read())?.phase === "Running", { what: "the server to run", deadlineMs: 90_000 });
      const { clusterIP } = (await space.get("service/mcp-echo-proxy")).spec;
      const address = new URL(`http://${clusterIP}:8080/mcp`);
      expect(await callTool(address, "echo", { text: "hello" })).toBe("hello");

      await install("--set=operator.podLabels.upgraded=yes");
      expect(await read()).toMatchObject({ phase: "Running", message: "MCP server is running" });

      await helm(["uninstall", "op", "--namespace", system.name, "--wait"], env);
      await helm(["uninstall", "crds", "--namespace", system.name, "--wait"], env);
      expect(await callTool(address, "echo", { text: "still here" })).toBe("still here");
      await space.kubectl("delete", "mcpserver", "echo", "--timeout=30s");
      await waitFor(async () => (await space.get("statefulset/echo")) === undefined, {
        what: "what it owned to be gone",
      });
    });
  },
  findHelmObstacle(),
);
