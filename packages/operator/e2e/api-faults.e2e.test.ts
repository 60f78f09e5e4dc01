/** The operator before an API server that refuses, fails, hangs and forgets, and before webhooks that do. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../src/contract/index.ts";
import { createCertificate, type Fault, FaultyApi, type SpoiledRequest } from "../src/testing/faulty-api.ts";
import { createServerManifest, installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

/** Milliseconds until a request that hangs is given up. */
const IDLE_MS = 500;
/** Without pods: what is written is what matters here. */
const NO_PODS = { replicas: 0, proxyReplicas: 0 };
const OWNED =
  "deployments,statefulsets,services,serviceaccounts,roles,rolebindings,configmaps,networkpolicies,poddisruptionbudgets";

const isWatch = ({ path }: SpoiledRequest) => path.includes("watch=true");
const matchWrite =
  (kind: string) =>
  ({ method, path }: SpoiledRequest) =>
    method === "PATCH" && path.includes(`/${kind}`);

async function listOwned(space: TestNamespace): Promise<JsonObject[]> {
  const selector = "--selector=app.kubernetes.io/managed-by=toolhive-operator";
  return JSON.parse(await space.kubectl("get", OWNED, selector, "--output=json")).items;
}

describeCluster("the operator", (cluster) => {
  beforeAll(() => installCrd(cluster));

  const startBehind = async (api: FaultyApi, space: TestNamespace) =>
    await TestOperator.start(api, [space.name], {}, { connectionIdleMs: IDLE_MS });

  /** Neither this operator nor the next one has anything to change. */
  async function untilSettled(operator: TestOperator, space: TestNamespace): Promise<void> {
    await operator.untilAtRest();
    await using next = await TestOperator.start(cluster, [space.name]);
    expect(next.client.counts.writes).toBe(0);
    expect(next.reconciler.counts.failures).toBe(0);
  }

  test.each<[string, Fault]>([
    ["409", { status: 409 }],
    ["429", { status: 429 }],
    ["429 with the time to wait", { status: 429, retryAfterSeconds: 1 }],
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["the end of the connection", "reset"],
    ["nothing, after it did what it was asked to", "lost answer"],
    ["nothing at all", "hang"],
    ["half an answer", "stall"],
  ])("whose API server answers reads and writes with %s for a while gets there", async (_what, fault) => {
    await using space = await cluster.createNamespace();
    await using api = await FaultyApi.start(cluster.kubeconfig);
    await using operator = await startBehind(api, space);
    await space.kubectl("create", "secret", "generic", "s", "--from-literal=k=v");
    const left = new Map([
      ["/secrets/s", 1],
      ["/statefulsets/", 1],
      ["/mcpservers/echo/status", 1],
    ]);
    api.spoil = ({ path }) => {
      const found = [...left].find(([part, count]) => path.includes(part) && count > 0);
      if (found) left.set(found[0], found[1] - 1);
      return found && fault;
    };
    await space.apply(createServerManifest("echo", { ...NO_PODS, secrets: [{ name: "s", key: "k" }] }));

    await untilCondition(space, "echo", "Ready", "ScaledToZero");

    expect([...left.values()]).toEqual([0, 0, 0]);
    await untilSettled(operator, space);
    // What was written before is not written again for each try.
    expect(api.requests.filter(matchWrite("serviceaccounts/"))).toHaveLength(1);
  });

  test("whose API server hangs altogether goes on when it is back, with what happened meanwhile", async () => {
    await using space = await cluster.createNamespace();
    await using api = await FaultyApi.start(cluster.kubeconfig);
    await using operator = await startBehind(api, space);
    for (const name of ["stays", "goes"]) {
      await space.apply(createServerManifest(name, NO_PODS));
      await untilCondition(space, name, "Ready", "ScaledToZero");
    }
    api.spoil = () => "hang";
    api.cut();
    const before = api.requests.length;
    await space.kubectl("delete", "mcpserver", "goes");
    await space.kubectl("delete", "deployment", "stays");
    await space.apply(createServerManifest("comes", NO_PODS));
    // Every watch was begun again, in vain, more than once.
    await waitFor(() => api.requests.slice(before).filter(isWatch).length > 24, { what: "watches to be tried again" });

    api.spoil = () => undefined;

    await untilCondition(space, "comes", "Ready", "ScaledToZero");
    await waitFor(async () => await space.get("deployment/stays"), { what: "what was deleted to come back" });
    await waitFor(() => operator.reconciler.counts.servers === 2, { what: "the deleted MCPServer to be forgotten" });
    await untilSettled(operator, space);
  });

  test.each([500, 410])("whose watches are answered with %d for a while misses nothing", async (status) => {
    await using space = await cluster.createNamespace();
    await using api = await FaultyApi.start(cluster.kubeconfig);
    await using operator = await startBehind(api, space);
    await space.apply(createServerManifest("goes", NO_PODS));
    await untilCondition(space, "goes", "Ready", "ScaledToZero");
    const isOfServers = ({ path }: SpoiledRequest) => /\/mcpservers\?/.test(path);
    let left = 3;
    api.spoil = (asked) => (isWatch(asked) && isOfServers(asked) && left-- > 0 ? { status } : undefined);
    const before = api.requests.length;
    api.cut();
    await space.kubectl("delete", "mcpserver", "goes");
    await space.apply(createServerManifest("comes", NO_PODS));

    await untilCondition(space, "comes", "Ready", "ScaledToZero");
    await waitFor(() => operator.reconciler.counts.servers === 1, { what: "the deleted MCPServer to be forgotten" });

    await waitFor(() => left < 0, { what: "the watch to be begun again" });
    const lists = api.requests.slice(before).filter((asked) => isOfServers(asked) && !isWatch(asked));
    // Only what is forgotten is listed again.
    expect(lists).toHaveLength(status === 410 ? 3 : 0);
  });

  test("whose API server fails while it begins begins when that is over", async () => {
    await using space = await cluster.createNamespace();
    await space.apply(createServerManifest("echo", NO_PODS));
    await using api = await FaultyApi.start(cluster.kubeconfig);
    const left = [429, 500, 503, 500];
    api.spoil = () => {
      const status = left.shift();
      return status === undefined ? undefined : { status };
    };
    await using operator = await startBehind(api, space);

    await untilCondition(space, "echo", "Ready", "ScaledToZero");
    await untilSettled(operator, space);
  });

  test("leaves nothing of an MCPServer that is deleted while it is made, also when another one has its name", async () => {
    await using space = await cluster.createNamespace();
    await using api = await FaultyApi.start(cluster.kubeconfig);
    await using operator = await startBehind(api, space);
    for (const comesBack of [false, true]) {
      let go = () => {};
      const held = new Promise<void>((resolve) => {
        go = resolve;
      });
      let isHeld = false;
      api.spoil = (asked) => {
        if (isHeld || !matchWrite("statefulsets/")(asked)) return undefined;
        isHeld = true;
        return held;
      };
      await space.apply(createServerManifest("echo", NO_PODS));
      await waitFor(() => isHeld, { what: "the StatefulSet to be written" });
      const { uid: old } = (await space.get("mcpserver/echo")).metadata;
      await space.kubectl("delete", "mcpserver", "echo");
      if (comesBack) await space.apply(createServerManifest("echo", NO_PODS));
      go();

      if (comesBack) await untilCondition(space, "echo", "Ready", "ScaledToZero");
      const owners = async () => (await listOwned(space)).map(({ metadata }) => metadata.ownerReferences[0].uid);
      await waitFor(async () => !(await owners()).includes(old), { what: "what was its to be gone", intervalMs: 300 });
      expect(await owners()).toHaveLength(comesBack ? 7 : 0);
      await operator.untilAtRest();
    }
    await untilSettled(operator, space);
  });

  test("adopts the objects of a deleted MCPServer of the same name, and deletes those that the new one does not need", async () => {
    await using space = await cluster.createNamespace();
    await using operator = await TestOperator.start(cluster, [space.name]);
    await space.apply(
      createServerManifest("echo", { ...NO_PODS, permissionProfile: { type: "builtin", name: "none" } }),
    );
    await untilCondition(space, "echo", "Ready", "ScaledToZero");
    const { uid } = (await space.get("deployment/echo")).metadata;
    await space.kubectl("delete", "mcpserver", "echo", "--cascade=orphan", "--timeout=20s");
    expect((await space.get("deployment/echo")).metadata).toMatchObject({ uid });

    await space.apply(createServerManifest("echo", { ...NO_PODS, tools: ["echo"] }));

    await untilCondition(space, "echo", "Ready", "ScaledToZero");
    const { uid: owner } = (await space.get("mcpserver/echo")).metadata;
    await waitFor(async () => (await space.get("configmap/echo-network")) === undefined, {
      what: "the networks of the profile to be gone",
    });
    for (const { metadata } of await listOwned(space)) expect(metadata.ownerReferences[0].uid).toBe(owner);
    expect((await space.get("deployment/echo")).metadata).toMatchObject({ uid });
    await untilSettled(operator, space);
  });

  test("forgets a namespace that is deleted, and does not keep it from going", async () => {
    await using space = await cluster.createNamespace();
    await using other = await cluster.createNamespace();
    await using operator = await TestOperator.start(cluster, [space.name, other.name]);
    const names = ["a", "b", "c"];
    for (const name of names) await space.apply(createServerManifest(name, NO_PODS));
    await other.apply(createServerManifest("echo", NO_PODS));
    for (const name of names) await untilCondition(space, name, "Ready", "ScaledToZero");

    await cluster.kubectl(["delete", "namespace", space.name, "--timeout=90s"]);

    expect((await cluster.kubectl(["get", "namespace", space.name])).stderr).toContain("not found");
    await waitFor(() => operator.reconciler.counts.servers === 1, { what: "its MCPServers to be forgotten" });
    await operator.untilAtRest();
    await other.kubectl("delete", "deployment", "echo");
    await waitFor(async () => await other.get("deployment/echo"), { what: "the other namespace to be looked after" });
    expect((await cluster.kubectl(["create", "namespace", space.name])).code).toBe(0);
  });

  describe("whose writes a webhook has to allow", () => {
    interface Webhook extends AsyncDisposable {
      /** `undefined`: it never answers. */
      answer: ((uid: string) => { readonly status: number; readonly body: object }) | undefined;
    }

    /** Every Deployment of the namespace is shown to it. */
    async function openWebhook(space: TestNamespace, answer: Webhook["answer"]): Promise<Webhook> {
      const { hostname } = new URL((await readServer()) ?? "");
      const certificate = await createCertificate(hostname);
      const listener = createServer(certificate, async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const { uid } = JSON.parse(Buffer.concat(chunks).toString("utf8")).request;
        const said = webhook.answer?.(uid);
        if (said)
          response.writeHead(said.status, { "content-type": "application/json" }).end(JSON.stringify(said.body));
      }).listen(0, hostname);
      await once(listener, "listening");
      const { port } = listener.address() as AddressInfo;
      const webhook: Webhook = {
        answer,
        [Symbol.asyncDispose]: async () => {
          await cluster.kubectl(["delete", "validatingwebhookconfiguration", space.name]);
          listener.close();
          listener.closeAllConnections();
        },
      };
      await space.apply({
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: space.name },
        webhooks: [
          {
            name: "deployments.toolhive.test",
            clientConfig: {
              url: `https://${hostname}:${port}/`,
              caBundle: Buffer.from(certificate.cert).toString("base64"),
            },
            rules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments"] }],
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": space.name } },
            failurePolicy: "Fail",
            sideEffects: "None",
            timeoutSeconds: 1,
            admissionReviewVersions: ["v1"],
          },
        ],
      });
      const probe = ["create", "deployment", "probe", "--image=none", "--replicas=0", "--dry-run=server"];
      await waitFor(
        async () =>
          await space.kubectl(...probe).then(
            () => false,
            () => true,
          ),
        {
          what: "the API server to ask the webhook",
        },
      );
      return webhook;
    }

    const readServer = async () => {
      const { stdout } = await cluster.kubectl([
        "config",
        "view",
        "--minify",
        "-o=jsonpath={.clusters[0].cluster.server}",
      ]);
      return stdout.trim();
    };
    const review = (uid: string, response: object) => ({
      status: 200,
      body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, ...response } },
    });
    const refuseWith = (code: number) => (uid: string) =>
      review(uid, { allowed: false, status: { code, message: "not on a Friday" } });

    test.each<[string, Webhook["answer"], string]>([
      ["refuses with 403", refuseWith(403), "not on a Friday"],
      ["refuses with 409", refuseWith(409), "not on a Friday"],
      ["fails", () => ({ status: 500, body: {} }), "failed calling webhook"],
      ["hangs", undefined, "failed calling webhook"],
    ])("and which %s says so, and goes on when it is allowed", async (_what, answer, says) => {
      await using space = await cluster.createNamespace();
      await using webhook = await openWebhook(space, answer);
      await using operator = await TestOperator.start(cluster, [space.name]);
      await space.apply(createServerManifest("echo", NO_PODS));

      const { status } = await untilCondition(space, "echo", "Ready", "WriteRefused");

      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      expect(ready?.message).toContain("The Deployment cannot be written: ");
      expect(ready?.message).toContain(says);
      expect(ready?.message).toContain("Mend that webhook");
      webhook.answer = (uid) => review(uid, { allowed: true });
      await untilCondition(space, "echo", "Ready", "ScaledToZero");
      await untilSettled(operator, space);
    });
  });
});
