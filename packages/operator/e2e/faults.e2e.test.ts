/** What clients meet when a part of the cluster ends as SIGKILL ends it: one server on stdio and one on HTTP, called all the time. */
import { describeCluster, type TestNamespace, THV_IMAGE, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { LEASE_NAME } from "../src/contract/index.ts";
import { OperatorProcess } from "../src/testing/operator-process.ts";
import { SteadyLoad } from "../src/testing/steady-load.ts";
import { createServerManifest, installCrd, untilCondition } from "../src/testing/test-operator.ts";

const TRANSPORTS = ["stdio", "streamable-http"] as const;
type Transport = (typeof TRANSPORTS)[number];

describeCluster("a server that is called all the time", (cluster) => {
  let space: TestNamespace;
  let operators: OperatorProcess[] = [];
  const loads = new Map<Transport, SteadyLoad>();

  /** @param clockMs How far its clock is ahead. */
  const startOperator = async (clockMs = 0) => {
    const { kubeconfig } = cluster;
    const clock = `const { now } = Date; Date.now = () => now() + ${clockMs};
      globalThis.Date = class extends Date { constructor(...given) { given.length === 0 ? super(Date.now()) : super(...given); } };`;
    const env = {
      TOOLHIVE_RUNNER_IMAGE: THV_IMAGE,
      THV_LOG_LEVEL: "error",
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(clock)}`,
    };
    return await OperatorProcess.start({ kubeconfig, namespace: space.name, watched: [space.name], env });
  };
  const findPod = async (selector: string) => (await space.list("pod", selector))[0];
  const findServer = (transport: Transport) => findPod(`toolhive.stacklok.dev/server=${transport}`);
  const findProxy = (transport: Transport) => findPod(`toolhive-name=${transport}`);

  beforeAll(async () => {
    await installCrd(cluster);
    space = await cluster.createNamespace("faults");
    operators.push(await startOperator());
    await operators[0]?.untilLeading();
    for (const transport of TRANSPORTS) {
      await space.apply(
        createServerManifest(transport, { transport, permissionProfile: { type: "builtin", name: "network" } }),
      );
    }
    operators.push(await startOperator());
    for (const transport of TRANSPORTS) {
      await untilCondition(space, transport, "Ready", "Running");
      const { clusterIP } = (await space.get(`service/mcp-${transport}-proxy`)).spec;
      loads.set(transport, new SteadyLoad(new URL(`http://${clusterIP}:8080/mcp`)));
    }
    for (const load of loads.values()) await load.untilServed();
  });
  afterAll(async () => {
    for (const load of loads.values()) await load[Symbol.asyncDispose]();
    for (const operator of operators) await operator.end();
    await space?.[Symbol.asyncDispose]();
  });

  /**
   * @param cause Resolves once the fault is over, as far as its cause is concerned.
   * @param mayFail Whose calls may fail; all others are answered.
   */
  async function untilRecovered(
    { annotate }: TestContext,
    mayFail: readonly Transport[],
    cause: () => Promise<void>,
  ): Promise<void> {
    for (const load of loads.values()) load.mark();
    await cause();
    for (const transport of TRANSPORTS) await untilCondition(space, transport, "Ready", "Running");
    for (const load of loads.values()) await load.untilServed();
    for (const [transport, load] of loads) {
      const report = load.report();
      await annotate(`${transport}: ${JSON.stringify(report)}`);
      expect(report.wrong).toBe(0);
      // What is lost is said at once: nobody waits for an answer that cannot come.
      expect(Object.keys(report.errors).filter((error) => /timed out/.test(error))).toEqual([]);
      if (!mayFail.includes(transport)) expect(report).toMatchObject({ failed: 0, errors: {} });
    }
  }

  const killContainer = async (find: () => ReturnType<typeof findPod>, container: string) => {
    const pod = await find();
    await cluster.killContainer(pod, container);
    const readCount = async () => {
      const { containerStatuses = [], initContainerStatuses = [] } = (await space.get(`pod/${pod.metadata.name}`))
        .status;
      return [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container)?.restartCount;
    };
    await waitFor(async () => (await readCount()) > 0, {
      what: `${container} to be started again`,
      deadlineMs: 60_000,
    });
  };

  for (const transport of TRANSPORTS) {
    test(`on ${transport} is served again when it is killed`, async (context) => {
      await untilRecovered(context, [transport], () => killContainer(() => findServer(transport), "mcp"));
    });

    test(`on ${transport} is served again when its proxy is killed`, async (context) => {
      await untilRecovered(context, [transport], () => killContainer(() => findProxy(transport), "toolhive"));
    });

    test(`on ${transport} is served while its sidecar is killed`, async (context) => {
      await untilRecovered(context, [], () => killContainer(() => findServer(transport), "network"));
    });
  }

  test("is served when the operator is killed, and the next one takes over and works", async (context) => {
    const [leader, next] = operators;
    // The sidecar that was killed last is back in the statuses, too.
    for (const transport of TRANSPORTS) await untilCondition(space, transport, "ProfileEnforced", "Enforced");
    await untilRecovered(context, [], async () => {
      await leader?.end("SIGKILL");
      await next?.untilLeading();
      operators = operators.slice(1);
      expect((await next?.countRequests())?.writes).toBe(0);
    });
    expect((await space.get(`lease/${LEASE_NAME}`)).spec.leaseTransitions).toBe(1);
  });

  test("on stdio is served again when the account of its proxy is deleted, whose token is good for nothing then", async (context) => {
    const { uid } = (await findProxy("stdio")).metadata;
    await untilRecovered(context, ["stdio"], async () => {
      await space.kubectl("delete", "serviceaccount", "stdio-proxy-runner");
      await waitFor(async () => ((await findProxy("stdio"))?.metadata.uid ?? uid) !== uid, { what: "another proxy" });
    });
  });

  test("is served by operators whose clocks are two hours apart, one after the other", async (context) => {
    const ahead = await startOperator(3_600_000);
    const behind = await startOperator(-3_600_000);
    const replaced = operators;
    operators = [ahead, behind];
    const lease = async () => (await space.get(`lease/${LEASE_NAME}`)).spec;
    await untilRecovered(context, [], async () => {
      for (const operator of replaced) await operator.end();
      const leads = async () => [await ahead.isLeader(), await behind.isLeader()];
      const first = await waitFor(async () => (await leads()).includes(true) && (await leads()), { what: "a leader" });
      const { holderIdentity, renewTime } = await lease();
      await waitFor(async () => (await lease()).renewTime !== renewTime, { what: "a renewal" });
      expect(await leads()).toEqual(first);
      expect((await lease()).holderIdentity).toBe(holderIdentity);

      const [leader, next] = first[0] ? [ahead, behind] : [behind, ahead];
      await leader?.end();
      await next?.untilLeading();
      expect((await next?.countRequests())?.writes).toBe(0);
      await space.kubectl("delete", "networkpolicy", "stdio-server");
      await waitFor(async () => await space.get("networkpolicy/stdio-server"), { what: "the policy to come back" });
    });
  });

  test("is served again when its node was drained and is back, and says meanwhile what it waits for", async (context) => {
    const node = (await findServer("stdio")).spec.nodeName;
    await untilRecovered(context, TRANSPORTS, async () => {
      try {
        const all = [
          "--pod-selector=toolhive",
          "--force",
          "--ignore-daemonsets",
          "--delete-emptydir-data",
          "--timeout=90s",
        ];
        const { code, stderr } = await cluster.kubectl(["drain", node, ...all]);
        expect(code, stderr).toBe(0);
        for (const transport of TRANSPORTS) {
          const { status } = await untilCondition(space, transport, "Ready", "Unschedulable");
          expect(status?.conditions?.[0]?.message).toContain("fits on no node");
        }
      } finally {
        await cluster.kubectl(["uncordon", node]);
      }
    });
  });

  const untilAnswers = (path: string) =>
    waitFor(async () => (await cluster.kubectl(["get", "--raw", path])).code === 0, { what: path, deadlineMs: 60_000 });

  test("is served again when the kubelet is killed; a server on HTTP all the time", async (context) => {
    await untilRecovered(context, ["stdio"], async () => {
      await cluster.killComponent("kubelet");
      await untilAnswers("/api/v1/nodes/node-1/proxy/healthz");
    });
  });

  test("is served again when the API server is killed; a server on HTTP all the time", async (context) => {
    await untilRecovered(context, ["stdio"], async () => {
      await cluster.killComponent("kube-apiserver");
      await untilAnswers("/readyz");
    });
  });

  test("is served when etcd is killed", async (context) => {
    await untilRecovered(context, [], async () => {
      await cluster.killComponent("etcd");
      await untilAnswers("/readyz");
    });
  });
});
