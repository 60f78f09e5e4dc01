/**
 * What a server may not have unless an administrator permits it for all servers: otherwise, everyone who may write an MCPServer
 * could take over the node or another account. It is what the level `baseline` of the Pod Security Standards forbids, and
 * accounts.
 */
import { toRecord } from "@toolhive/http/values";
import type { JsonObject, MCPServer } from "../../contract/index.ts";
import type { Privilege } from "./proxy-spec.ts";

/** Volumes whose content is the pod's own, or that the namespace has; all others reach the node or what is beside it. */
const PLAIN_VOLUMES = new Set([
  "name",
  "configMap",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);
const PLAIN_CAPABILITIES = new Set(["NET_BIND_SERVICE"]);
/** Kernel settings that concern nothing but the pod. */
const PLAIN_SYSCTLS = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_syncookies",
]);
const APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";

const NODE_FILES = "gives it files of the node";
const NODE = "gives it rights on the node";
const ACCOUNT = "gives it the rights of an account that is not its own";

/** @returns Members that ask for more than a server needs, in their order. */
export function* listServerPrivileges({ spec }: MCPServer): Generator<Privilege, undefined> {
  const { volumes, serviceAccount, podTemplateSpec } = spec;
  if (volumes && volumes.length > 0) yield { member: "spec.volumes[0].hostPath", gives: NODE_FILES };
  if (serviceAccount) yield { member: "spec.serviceAccount", gives: ACCOUNT };
  if (podTemplateSpec === undefined) return;
  const at = "spec.podTemplateSpec";
  for (const [name, value] of Object.entries(toRecord(toRecord(podTemplateSpec.metadata).annotations)))
    if (name.startsWith(APPARMOR_ANNOTATION) && value === "unconfined")
      yield { member: `${at}.metadata.annotations["${name}"]`, gives: NODE };
  yield* listOfPod(toRecord(podTemplateSpec.spec), `${at}.spec`);
}

function* listOfPod(pod: JsonObject, at: string): Generator<Privilege> {
  for (const name of ["hostNetwork", "hostPID", "hostIPC"] as const)
    if (isSet(pod[name])) yield { member: `${at}.${name}`, gives: "puts it beside the processes of the node" };
  for (const name of ["serviceAccountName", "serviceAccount"] as const)
    if (isSet(pod[name]) && pod[name] !== "") yield { member: `${at}.${name}`, gives: ACCOUNT };
  if (isSet(pod.automountServiceAccountToken))
    yield { member: `${at}.automountServiceAccountToken`, gives: "gives it the token of the namespace's account" };
  for (const [index, volume] of asList(pod.volumes).entries()) yield* listOfVolume(volume, `${at}.volumes[${index}]`);
  yield* listOfSecurity(toRecord(pod.securityContext), `${at}.securityContext`);
  for (const list of ["containers", "initContainers", "ephemeralContainers"])
    for (const [index, container] of asList(pod[list]).entries())
      yield* listOfContainer(container, `${at}.${list}[${index}]`);
}

function* listOfVolume(volume: JsonObject, at: string): Generator<Privilege> {
  for (const name of Object.keys(volume)) {
    if (!isSet(volume[name]) || PLAIN_VOLUMES.has(name)) continue;
    yield { member: `${at}.${name}`, gives: name === "hostPath" ? NODE_FILES : "mounts what is outside the namespace" };
  }
  for (const [index, source] of asList(toRecord(volume.projected).sources).entries())
    for (const name of ["serviceAccountToken", "podCertificate"])
      if (isSet(source[name]))
        yield {
          member: `${at}.projected.sources[${index}].${name}`,
          gives: "gives it the token of the namespace's account",
        };
}

function* listOfContainer(container: JsonObject, at: string): Generator<Privilege> {
  yield* listOfSecurity(toRecord(container.securityContext), `${at}.securityContext`);
  for (const [index, port] of asList(container.ports).entries())
    for (const name of ["hostPort", "hostIP"])
      if (isSet(port[name]) && port[name] !== 0)
        yield { member: `${at}.ports[${index}].${name}`, gives: "opens a port of the node" };
  for (const [place, handler] of listHandlers(container))
    for (const kind of ["httpGet", "tcpSocket"])
      if (isSet(toRecord(handler[kind]).host))
        yield { member: `${at}.${place}.${kind}.host`, gives: "has the node send requests for it" };
}

/** Probes and hooks, which the kubelet runs. */
function listHandlers(container: JsonObject): (readonly [place: string, handler: JsonObject])[] {
  const lifecycle = toRecord(container.lifecycle);
  return [
    ...["livenessProbe", "readinessProbe", "startupProbe"].map((name) => [name, toRecord(container[name])] as const),
    ...["postStart", "preStop"].map((name) => [`lifecycle.${name}`, toRecord(lifecycle[name])] as const),
  ];
}

/** Of a pod, or of one container. */
function* listOfSecurity(context: JsonObject, at: string): Generator<Privilege> {
  for (const name of ["privileged", "allowPrivilegeEscalation"])
    if (isSet(context[name])) yield { member: `${at}.${name}`, gives: NODE };
  const added = asTexts(toRecord(context.capabilities).add).find(
    (name) => !PLAIN_CAPABILITIES.has(name.toUpperCase().replace(/^CAP_/, "")),
  );
  if (added !== undefined) yield { member: `${at}.capabilities.add (${added})`, gives: NODE };
  if (isSet(context.procMount) && context.procMount !== "Default") yield { member: `${at}.procMount`, gives: NODE };
  for (const name of ["seccompProfile", "appArmorProfile"])
    if (toRecord(context[name]).type === "Unconfined") yield { member: `${at}.${name}.type`, gives: NODE };
  for (const name of ["user", "role", "type"])
    if (isSet(toRecord(context.seLinuxOptions)[name])) yield { member: `${at}.seLinuxOptions.${name}`, gives: NODE };
  if (isSet(toRecord(context.windowsOptions).hostProcess))
    yield { member: `${at}.windowsOptions.hostProcess`, gives: NODE };
  for (const [index, { name }] of asList(context.sysctls).entries())
    if (!PLAIN_SYSCTLS.has(String(name))) yield { member: `${at}.sysctls[${index}]`, gives: NODE };
}

function asList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(toRecord) : [];
}

function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
