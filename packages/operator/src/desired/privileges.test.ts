import { describe, expect, test } from "vitest";
import type { JsonObject } from "../contract/index.ts";
import { createContext, createRemoteContext } from "../testing/servers.ts";
import { buildPart, findPrivilege } from "./index.ts";

function findInSpec(spec: object): string | undefined {
  return findPrivilege(createContext(spec as never).server);
}

function findInPod(spec: JsonObject, metadata: JsonObject = {}): string | undefined {
  return findInSpec({ podTemplateSpec: { metadata, spec } });
}

const inServer = (container: JsonObject) => ({ containers: [{ name: "mcp", ...container }] });
const secured = (securityContext: JsonObject) => inServer({ securityContext });

describe("a server is refused", () => {
  test.each([
    ["spec.volumes[0].hostPath", { volumes: [{ name: "a", hostPath: "/", mountPath: "/host" }] }],
    ["spec.serviceAccount", { serviceAccount: "admin" }],
    ["spec.serviceAccount", { serviceAccount: "default" }],
    ["spec.serviceAccount", { serviceAccount: "other-proxy-runner" }],
  ])("for %s of %j", (member, spec) => {
    const problem = findInSpec(spec);

    expect(problem).toMatch(new RegExp(`^${escapePattern(member)} `));
    expect(problem).toContain("operator.allowPrivilegedServers=true");
  });

  test.each([
    ["hostNetwork", { hostNetwork: true }],
    ["hostPID", { hostPID: true }],
    ["hostIPC", { hostIPC: true }],
    // What is no boolean is no reason to let it pass.
    ["hostNetwork", { hostNetwork: "true" }],
    ["serviceAccountName", { serviceAccountName: "admin" }],
    // The older name of the same member.
    ["serviceAccount", { serviceAccount: "admin" }],
    ["automountServiceAccountToken", { automountServiceAccountToken: true }],
    [
      "volumes[1].hostPath",
      {
        volumes: [
          { name: "a", emptyDir: {} },
          { name: "b", hostPath: { path: "/" } },
        ],
      },
    ],
    ["volumes[0].gitRepo", { volumes: [{ name: "a", gitRepo: { repository: "https://x" } }] }],
    ["volumes[0].nfs", { volumes: [{ name: "a", nfs: { server: "x", path: "/" } }] }],
    ["volumes[0].flexVolume", { volumes: [{ name: "a", flexVolume: { driver: "x" } }] }],
    ["volumes[0].csi", { volumes: [{ name: "a", csi: { driver: "x" } }] }],
    ["volumes[0].constructor", { volumes: [JSON.parse('{"name":"a","constructor":{}}')] }],
    [
      "volumes[0].projected.sources[1].serviceAccountToken",
      {
        volumes: [
          { name: "a", projected: { sources: [{ secret: { name: "s" } }, { serviceAccountToken: { path: "t" } }] } },
        ],
      },
    ],
    ["containers[0].securityContext.privileged", secured({ privileged: true })],
    ["containers[0].securityContext.allowPrivilegeEscalation", secured({ allowPrivilegeEscalation: true })],
    ["containers[0].securityContext.capabilities.add (SYS_ADMIN)", secured({ capabilities: { add: ["SYS_ADMIN"] } })],
    [
      "containers[0].securityContext.capabilities.add (all)",
      secured({ capabilities: { drop: ["ALL"], add: ["all"] } }),
    ],
    ["containers[0].securityContext.procMount", secured({ procMount: "Unmasked" })],
    ["containers[0].securityContext.seccompProfile.type", secured({ seccompProfile: { type: "Unconfined" } })],
    ["containers[0].securityContext.appArmorProfile.type", secured({ appArmorProfile: { type: "Unconfined" } })],
    ["containers[0].securityContext.seLinuxOptions.type", secured({ seLinuxOptions: { type: "spc_t" } })],
    ["containers[0].securityContext.windowsOptions.hostProcess", secured({ windowsOptions: { hostProcess: true } })],
    ["containers[0].ports[0].hostPort", inServer({ ports: [{ containerPort: 1, hostPort: 22 }] })],
    [
      "containers[0].livenessProbe.httpGet.host",
      inServer({ livenessProbe: { httpGet: { host: "127.0.0.1", port: 10250 } } }),
    ],
    [
      "containers[0].lifecycle.postStart.tcpSocket.host",
      inServer({ lifecycle: { postStart: { tcpSocket: { host: "10.0.0.1", port: 1 } } } }),
    ],
    ["securityContext.seccompProfile.type", { securityContext: { seccompProfile: { type: "Unconfined" } } }],
    ["securityContext.sysctls[0]", { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }],
    // Any container has the pod's volumes and namespaces, not the server's alone.
    [
      "initContainers[0].securityContext.privileged",
      { initContainers: [{ name: "first", securityContext: { privileged: true } }] },
    ],
    [
      "containers[1].securityContext.capabilities.add (CAP_NET_RAW)",
      {
        containers: [{ name: "mcp" }, { name: "helper", securityContext: { capabilities: { add: ["CAP_NET_RAW"] } } }],
      },
    ],
    [
      "ephemeralContainers[0].securityContext.privileged",
      { ephemeralContainers: [{ name: "e", securityContext: { privileged: true } }] },
    ],
  ])("for %s of its template", (member, spec) => {
    expect(findInPod(spec)).toMatch(new RegExp(`^${escapePattern(`spec.podTemplateSpec.spec.${member}`)} `));
  });

  test("for a profile that an annotation takes off", () => {
    const annotations = { "container.apparmor.security.beta.kubernetes.io/mcp": "unconfined" };

    expect(findInPod({}, { annotations })).toContain("spec.podTemplateSpec.metadata.annotations");
  });

  test("for what stands in a template of odd forms, without a failure", () => {
    expect(
      findInPod({ volumes: null, containers: "x", initContainers: [null, 1, { securityContext: [] }] }),
    ).toBeUndefined();
    expect(findInSpec({ podTemplateSpec: { metadata: null, spec: null } })).toBeUndefined();
    expect(findInSpec({ podTemplateSpec: {} })).toBeUndefined();
  });

  test("as a proxy of a remote server for an account that is not its own", () => {
    expect(findPrivilege(createRemoteContext({ serviceAccount: "admin" }).server)).toContain("spec.serviceAccount");
    expect(findPrivilege(createRemoteContext().server)).toBeUndefined();
  });
});

test("what a usual server has is no privilege", () => {
  const spec = {
    nodeSelector: { disk: "ssd" },
    tolerations: [{ key: "a", operator: "Exists" }],
    hostNetwork: false,
    automountServiceAccountToken: false,
    securityContext: { runAsUser: 0, fsGroup: 2000, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "mcp",
        resources: { limits: { memory: "1Gi" } },
        securityContext: { readOnlyRootFilesystem: false, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } },
        ports: [{ containerPort: 8080 }],
        livenessProbe: { httpGet: { path: "/", port: 8080 } },
      },
    ],
    volumes: ["emptyDir", "configMap", "secret", "downwardAPI", "persistentVolumeClaim", "projected"].map((kind) => ({
      name: kind.toLowerCase(),
      [kind]: {},
    })),
  };

  expect(findInPod(spec)).toBeUndefined();
});

test("a container beside the server's gains no rights by its files, unless that was allowed", () => {
  const template = {
    spec: { containers: [{ name: "helper", image: "h" }], initContainers: [{ name: "first", image: "f" }] },
  };
  const buildPod = (settings: object) => {
    const context = createContext({ podTemplateSpec: template });
    return buildPart("statefulSet", { ...context, settings: { ...context.settings, ...settings } })?.spec.template.spec;
  };
  const closed = { privileged: false, allowPrivilegeEscalation: false };

  const pod = buildPod({});
  expect([pod.containers[1].securityContext, pod.initContainers[0].securityContext]).toEqual([closed, closed]);
  const open = buildPod({ allowsPrivilegedServers: true });
  expect([open.containers[1].securityContext, open.initContainers[0].securityContext]).toEqual([undefined, undefined]);
});

test.each([{ privileged: true }, { capabilities: { add: ["CAP_SYS_ADMIN"] } }])(
  "a server with %j that was allowed has nothing filled in that Kubernetes refuses beside it",
  (securityContext) => {
    const context = createContext({ podTemplateSpec: { spec: secured(securityContext) } });
    const settings = { ...context.settings, allowsPrivilegedServers: true };
    const pod = buildPart("statefulSet", { ...context, settings })?.spec.template.spec;

    expect(pod.containers[0].securityContext).toMatchObject({ ...securityContext, runAsNonRoot: true });
    expect(pod.containers[0].securityContext).not.toHaveProperty("allowPrivilegeEscalation");
  },
);

test("a server's pods do not count as another one's proxy, whatever its template and its name say", () => {
  const labels = {
    app: "mcpserver",
    "app.kubernetes.io/name": "mcpserver",
    "app.kubernetes.io/instance": "bank",
    toolhive: "true",
    "toolhive-name": "bank",
  };
  // With this name, the label app of its pods is the one of every proxy.
  const context = createContext({ podTemplateSpec: { metadata: { labels } } }, { metadata: { name: "mcpserver" } });
  const template = buildPart("statefulSet", context)?.spec.template;
  const victim = createContext({}, { metadata: { name: "bank" } });
  const { selector } = buildPart("proxyService", victim)?.spec ?? {};

  expect(Object.entries(selector).every(([name, value]) => template.metadata.labels[name] === value)).toBe(false);
});

test("a proxy's pods do not count as another one's server", () => {
  const labels = { "toolhive.stacklok.dev/server": "bank" };
  const deployment = buildPart("deployment", createContext({ resourceOverrides: { proxyDeployment: { labels } } }));

  expect(deployment?.spec.template.metadata.labels).not.toHaveProperty(["toolhive.stacklok.dev/server"]);
  expect(deployment?.metadata.labels).not.toHaveProperty(["toolhive.stacklok.dev/server"]);
});

function escapePattern(text: string): string {
  return text.replace(/[.[\]()]/g, "\\$&");
}
