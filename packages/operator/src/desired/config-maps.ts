/** ConfigMaps of the proxy: the runner's settings, and policies that the object itself holds. */
import {
  ALLOWED_HOSTS_ANNOTATION,
  GROUP_FILE,
  type JsonObject,
  labelProxy,
  nameObjects,
  RUNNER_CONFIG_FILE,
  type RunnerConfig,
  readServerMembers,
} from "../contract/index.ts";
import { buildAccess } from "./access.ts";
import { buildMetadata, type DesiredContext } from "./context/context.ts";
import { digest } from "./context/digest.ts";
import { chooseTools } from "./context/tool-choice.ts";
import { buildGroupFile } from "./kinds/group-plan.ts";
import { readSpec } from "./kinds/read-spec.ts";

/** Key of the policies in the ConfigMap that the operator writes. */
export const INLINE_POLICIES_KEY = "authz.json";
export const RUNNER_CONFIG_KEY = RUNNER_CONFIG_FILE.slice(RUNNER_CONFIG_FILE.lastIndexOf("/") + 1);
/** Its content is no part of what a pod is made from: the runner follows the file. */
export const GROUP_KEY = GROUP_FILE.slice(GROUP_FILE.lastIndexOf("/") + 1);

export function buildInlinePolicies({ server }: DesiredContext): JsonObject | undefined {
  const { authzConfig } = server.spec;
  if (authzConfig?.type !== "inline" || authzConfig.inline === undefined) return undefined;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: buildMetadata(server, {
      name: nameObjects(server).inlinePolicies,
      labels: { ...labelProxy(server), "toolhive.stacklok.io/authz": "inline" },
    }),
    data: { [INLINE_POLICIES_KEY]: buildPoliciesDocument(authzConfig.inline) },
  };
}

/** The file that `thv run --authz-config` reads, too. */
export function buildPoliciesDocument({
  policies,
  entitiesJson = "[]",
}: {
  readonly policies: readonly string[];
  readonly entitiesJson?: string;
}): string {
  return JSON.stringify({ version: "1.0", type: "cedarv1", cedar: { policies, entities_json: entitiesJson } });
}

export function buildRunnerConfigMap(context: DesiredContext): JsonObject {
  const { server } = context;
  const group = buildGroupFile(context);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: buildMetadata(server, { name: nameObjects(server).runnerConfig, labels: labelProxy(server) }),
    data: {
      [RUNNER_CONFIG_KEY]: JSON.stringify(buildRunnerConfig(context)),
      ...(group && { [GROUP_KEY]: JSON.stringify(group) }),
    },
  };
}

/** What the proxy of a server follows without other pods. */
export function buildToolChoice(
  context: Pick<DesiredContext, "server" | "toolConfig">,
): Pick<RunnerConfig, "tools" | "tools_override" | "tools_version"> {
  const choice = chooseTools(context);
  return { ...choice, tools_version: digest(choice) };
}

export function buildRunnerConfig(context: DesiredContext): RunnerConfig {
  const { server, settings } = context;
  const { name, namespace, annotations = {} } = server.metadata;
  const { transport, port, groupNaming, hasReplicas, buildBackend } = readSpec(server);
  const { proxyService } = nameObjects(server);
  const { authzConfig } = server.spec;
  const service = [proxyService, `${proxyService}.${namespace}`, `${proxyService}.${namespace}.svc`];
  const further = (annotations[ALLOWED_HOSTS_ANNOTATION] ?? "").split(",").map((host) => host.trim().toLowerCase());
  return {
    name,
    namespace,
    transport,
    host: settings.proxyHost,
    port,
    allowed_hosts: [...service, `${service.at(-1)}.cluster.local`, ...further.filter((host) => host !== "")],
    ...buildBackend(),
    access: { ...buildAccess(context) },
    has_policies: authzConfig !== undefined,
    ...(authzConfig?.inline && { policies_version: digest(authzConfig.inline) }),
    ...(groupNaming === undefined && buildToolChoice(context)),
    ...(hasReplicas && { has_replicas: true }),
    ...(readServerMembers(server).idle && { sleeps_when_idle: true }),
  };
}
