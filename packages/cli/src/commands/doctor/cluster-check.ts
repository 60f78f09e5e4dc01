/** The checks of `thv doctor --kubernetes`: the API server, the definition, the operator, the user's rights, each MCPServer. */
import { isDeepStrictEqual } from "node:util";
import { type ClusterClient, ClusterError } from "@toolhive/operator/cluster";
import {
  API_VERSION,
  GROUP,
  type JsonObject,
  KIND,
  LEASE_NAME,
  NAMES_CONDITION_TYPE,
  PLURAL,
  PROXY_KINDS,
  pluralize,
  VERSION,
} from "@toolhive/operator/contract";
import { createCrds } from "@toolhive/operator/crd";
import type { CommandContext } from "../../command-line/command.ts";
import { describeClusterError, openCluster, readNamespace } from "../k8s/current-cluster.ts";
import { type CheckStatus, describeFailure, type Finding } from "./check.ts";

const CRDS_CHART = "helm upgrade --install toolhive-operator-crds deploy/charts/toolhive-operator-crds";
const OPERATOR_CHART =
  "helm upgrade --install toolhive-operator deploy/charts/toolhive-operator --namespace toolhive-system --create-namespace";
const OPERATOR_SELECTOR = "app.kubernetes.io/name=toolhive-operator";
/** What somebody who works with servers does with them. */
const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete"] as const;
/** Findings about single servers at most. */
const MAX_SERVERS = 100;

interface ClusterContext {
  readonly cluster: ClusterClient;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

/** @returns What each check found. Where the API server does not answer, nothing else is checked. */
export async function examineCluster(namespace: string | undefined, { signal }: CommandContext): Promise<Finding[]> {
  let cluster: ClusterClient;
  try {
    cluster = openCluster();
  } catch (error) {
    return [describeFailure("API server", error)];
  }
  const context: ClusterContext = { cluster, namespace, signal };
  try {
    const answered = await tryCheck("API server", checkServer, context);
    if (answered.some(({ status }) => status === "fail")) return answered;
    const findings = [...answered];
    findings.push(...(await tryCheck("definition", checkDefinition, context)));
    findings.push(...(await tryCheck("operator", checkOperator, context)));
    findings.push(...(await tryCheck("rights", checkRights, context)));
    const isDefined = findings.every(({ check, status }) => check !== "definition" || status !== "fail");
    if (isDefined) findings.push(...(await tryCheck("servers", checkServers, context)));
    return findings;
  } finally {
    cluster.close();
  }
}

/** A right that the user lacks is no fault of the cluster. */
async function tryCheck(
  check: string,
  run: (context: ClusterContext) => Promise<Finding[]>,
  context: ClusterContext,
): Promise<Finding[]> {
  try {
    return await run(context);
  } catch (error) {
    context.signal.throwIfAborted();
    const isForbidden = error instanceof ClusterError && error.status === 403;
    return [describeFailure(check, describeClusterError(error), isForbidden ? "warn" : "fail")];
  }
}

async function checkServer({ cluster, signal }: ClusterContext): Promise<Finding[]> {
  const { gitVersion } = await cluster.send({ path: "/version", signal });
  const { server = "" } = cluster.config.getCurrentCluster() ?? {};
  return [{ check: "API server", status: "ok", message: `Kubernetes ${gitVersion} at ${server}` }];
}

async function checkDefinition(context: ClusterContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const definition of Object.values(createCrds())) {
    findings.push(...(await checkOneDefinition(definition.spec.names.kind, definition, context)));
  }
  return findings;
}

async function checkOneDefinition(
  kind: string,
  wanted: JsonObject,
  { cluster, signal }: ClusterContext,
): Promise<Finding[]> {
  const check = "definition";
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${wanted.metadata.name}`;
  let live: JsonObject;
  try {
    live = await cluster.send({ path, signal });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
    // The other kinds work without it.
    const status = kind === KIND ? "fail" : "warn";
    return [{ check, status, message: `${kind} is not installed`, fix: `Install it: ${CRDS_CHART}` }];
  }
  const fix = `Replace it with that of this version: ${CRDS_CHART}`;
  const found = live.spec.versions.find(({ name }: JsonObject) => name === VERSION);
  if (!found?.served) return [{ check, status: "fail", message: `the version ${VERSION} is not served`, fix }];
  const own = wanted.spec.versions[0].schema.openAPIV3Schema;
  const theirs = found.schema?.openAPIV3Schema;
  const members = Object.keys(own.properties.spec.properties);
  const missing = members.filter((name) => theirs?.properties?.spec?.properties?.[name] === undefined);
  if (missing.length > 0) {
    const message = `${kind} is from another version: it lacks ${missing.map((name) => `spec.${name}`).join(", ")}`;
    return [{ check, status: "warn", message, fix }];
  }
  if (!isDeepStrictEqual(own, theirs)) {
    return [{ check, status: "warn", message: `${kind} is from another version: its schema differs`, fix }];
  }
  return [{ check, status: "ok", message: `${kind} ${VERSION}, as in this version of thv` }];
}

async function checkOperator({ cluster, signal }: ClusterContext): Promise<Finding[]> {
  const check = "operator";
  const query = { labelSelector: OPERATOR_SELECTOR };
  const { items = [] } = await cluster.send({ path: "/apis/apps/v1/deployments", query, signal });
  if (items.length === 0) {
    return [{ check, status: "fail", message: "it is not installed", fix: `Install it: ${OPERATOR_CHART}` }];
  }
  const findings: Finding[] = [];
  for (const { metadata, spec, status = {} } of items) {
    const { name, namespace } = metadata;
    const [ready, wanted] = [status.readyReplicas ?? 0, spec.replicas ?? 1];
    const image = spec.template.spec.containers[0]?.image;
    const message = `${namespace}/${name}: ${ready} of ${wanted} ready, image ${image}`;
    const state: CheckStatus = ready === 0 ? "fail" : ready < wanted ? "warn" : "ok";
    const fix = `See why: kubectl describe pods --namespace ${namespace} --selector ${OPERATOR_SELECTOR}`;
    findings.push({ check, status: state, message, ...(state !== "ok" && { fix }) });
    if (ready > 0) findings.push(await checkLeader(namespace, { cluster, signal }));
  }
  return findings;
}

async function checkLeader(
  namespace: string,
  { cluster, signal }: Pick<ClusterContext, "cluster" | "signal">,
): Promise<Finding> {
  const check = "leader";
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${LEASE_NAME}`;
  const fix = `Read the operator's log: kubectl logs --namespace ${namespace} --selector ${OPERATOR_SELECTOR}`;
  try {
    const { holderIdentity, renewTime, leaseDurationSeconds = 15 } = (await cluster.send({ path, signal })).spec ?? {};
    if (!holderIdentity) return { check, status: "warn", message: `no operator leads in ${namespace}`, fix };
    const age = Math.round((Date.now() - Date.parse(renewTime)) / 1000);
    if (!(age <= 2 * leaseDurationSeconds)) {
      return { check, status: "fail", message: `${holderIdentity} has not renewed its lease for ${age} seconds`, fix };
    }
    return { check, status: "ok", message: `${holderIdentity} leads` };
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) {
      return { check, status: "warn", message: `no operator has led in ${namespace} yet`, fix };
    }
    if (error instanceof ClusterError && error.status === 403)
      return describeFailure(check, describeClusterError(error), "warn");
    throw error;
  }
}

async function checkRights({ cluster, namespace, signal }: ClusterContext): Promise<Finding[]> {
  const check = "rights";
  const space = namespace ?? readNamespace(cluster);
  const missing: string[] = [];
  for (const verb of VERBS) {
    const resourceAttributes = { namespace: space, verb, group: GROUP, resource: PLURAL };
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes },
    };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const { status } = await cluster.send({ method: "POST", path, body, signal });
    if (!status?.allowed) missing.push(verb);
  }
  if (missing.length === 0) return [{ check, status: "ok", message: `you may work with MCPServers in ${space}` }];
  const message = `in ${space} you may not ${missing.join(", ")} MCPServers`;
  const fix = "Ask an administrator of the cluster for a RoleBinding to the ClusterRole edit.";
  return [{ check, status: missing.length === VERBS.length ? "fail" : "warn", message, fix }];
}

async function checkServers({ cluster, namespace, signal }: ClusterContext): Promise<Finding[]> {
  const within = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const troubled: Finding[] = [];
  let ready = 0;
  let unshown = 0;
  for await (const server of listAll(within, { cluster, signal })) {
    const found = describeServer(server);
    if (found.length === 0) ready += 1;
    else if (troubled.length + found.length <= MAX_SERVERS) troubled.push(...found);
    else unshown += 1;
  }
  const findings: Finding[] = [...troubled];
  if (unshown > 0) findings.push({ check: "servers", status: "fail", message: `${unshown} more are not ready` });
  if (ready > 0 || findings.length === 0) findings.push({ check: "servers", status: "ok", message: `${ready} ready` });
  return findings;
}

/** Every kind that has a proxy; of all but the first one none where it is not installed, or not shown. */
async function* listAll(
  within: string,
  { cluster, signal }: Pick<ClusterContext, "cluster" | "signal">,
): AsyncGenerator<JsonObject> {
  for (const kind of PROXY_KINDS) {
    try {
      const objects = cluster.list(`/apis/${API_VERSION}${within}/${pluralize(kind)}`, {}, { signal });
      for await (const object of objects) yield { ...object, kind };
    } catch (error) {
      const isMissing = error instanceof ClusterError && [403, 404].includes(error.status);
      if (kind === KIND || !isMissing) throw error;
    }
  }
}

/** Reasons of conditions that do not hold because the MCPServer asks for nothing of the kind. */
const NOT_ASKED_FOR: readonly string[] = ["NoProfile", "NoAuthentication"];

/** Another name of a member works, and the server may be starting. */
function isBroken({ type, status }: JsonObject, isFailed: boolean): boolean {
  return status === "False" && type !== NAMES_CONDITION_TYPE && (isFailed || type !== "Ready");
}

/** @returns A finding for each condition that does not hold; `[]` when the server is ready. */
function describeServer({ kind = KIND, metadata, status = {} }: JsonObject): Finding[] {
  const { name, namespace, generation } = metadata;
  const check = `${namespace}/${name}`;
  const fix = `See what happened: kubectl describe ${String(kind).toLowerCase()} --namespace ${namespace} ${name}`;
  const { phase, message = "", conditions = [], observedGeneration } = status;
  if (phase === undefined) {
    return [
      { check, status: "warn", message: "no operator has processed it yet", fix: "See the checks of the operator." },
    ];
  }
  const isFailed = phase === "Failed";
  const broken = conditions.filter(
    ({ status: holds, reason }: JsonObject) => holds !== "True" && !NOT_ASKED_FOR.includes(reason),
  );
  const findings: Finding[] = broken.map((condition: JsonObject) => ({
    check,
    status: isBroken(condition, isFailed) ? "fail" : "warn",
    message: `${condition.type} is ${condition.status}: ${condition.reason}: ${condition.message}`,
    fix,
  }));
  if (findings.length === 0 && phase !== "Running" && phase !== "Ready") {
    findings.push({ check, status: isFailed ? "fail" : "warn", message: `${phase}: ${message}`, fix });
  }
  if (observedGeneration !== undefined && observedGeneration !== generation) {
    findings.push({ check, status: "warn", message: "the operator has not processed the last change yet", fix });
  }
  return findings;
}
