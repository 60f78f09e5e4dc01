/** What is wrong with an MCPServer that the API server accepts all the same. */
import { listRemoteProblems } from "@toolhive/core";
import type { MCPRemoteProxySpec, MCPServer } from "../../contract/index.ts";
import { readSpec } from "./context.ts";

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
/** Characters of a name such that its Service `mcp-NAME-headless` has 63 at most. */
const MAX_HTTP_NAME = 50;
/** The same for the label that a StatefulSet gives its pods: the name, a hyphen, and ten characters. */
const MAX_STDIO_NAME = 52;
/** The same for the Service `mcp-NAME-remote-proxy` of an MCPRemoteProxy. */
const MAX_REMOTE_NAME = 46;
/** The same for the Service `mcp-NAME-group` of an MCPGroup. */
const MAX_GROUP_NAME = 53;

/** @returns Why its objects cannot exist, with the next step. `undefined`: they can. */
export function checkName(server: MCPServer): string | undefined {
  const { name } = server.metadata;
  const longest = findLongest(server);
  if (name.length > longest) {
    return `The name has ${name.length} characters, and its Services and pods allow ${longest}. Create the ${server.kind} with a shorter name, and delete this one.`;
  }
  if (!LABEL.test(name)) {
    return `The name "${name}" cannot be part of a Service's name. Create the ${server.kind} with a name of a-z, 0-9 and hyphens, and delete this one.`;
  }
  return undefined;
}

function findLongest(server: MCPServer): number {
  if (server.group) return MAX_GROUP_NAME;
  if (server.remote) return MAX_REMOTE_NAME;
  return readSpec(server).isStdio ? MAX_STDIO_NAME : MAX_HTTP_NAME;
}

/** @returns Mistakes that the API server's rules for new objects find, in objects older than these rules. */
export function listSpecProblems({ spec, remote }: MCPServer): string[] {
  const { oidcConfig, authzConfig, permissionProfile } = spec;
  const problems = remote === undefined ? [] : listProblemsOfRemote(remote);
  for (const [member, config] of [
    ["oidcConfig", oidcConfig],
    ["authzConfig", authzConfig],
  ] as const) {
    if (config?.type === "inline" && !config.inline) problems.push(`spec.${member}.inline is missing.`);
    const isConfigMap = config?.type === "configMap" || (member === "authzConfig" && config && !config.type);
    if (isConfigMap && !config?.configMap) problems.push(`spec.${member}.configMap is missing.`);
  }
  if (permissionProfile?.type === "configmap" && !permissionProfile.key) {
    problems.push("spec.permissionProfile.key is missing.");
  }
  return problems;
}

/** What a rule of the definition cannot say. */
function listProblemsOfRemote({
  remoteURL,
  allowInsecureHTTP = false,
  headers = [],
  auth,
}: MCPRemoteProxySpec): string[] {
  const plain = headers.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  const secret = headers.flatMap(({ name, secretKeyRef }) => (secretKeyRef ? [[name, secretKeyRef.name]] : []));
  const problems = listRemoteProblems(remoteURL, {
    // Over http, the specification says whether secrets go that way: within a cluster they may.
    allow_insecure_http: allowInsecureHTTP,
    header_forward: { add_plaintext_headers: Object.fromEntries(plain) },
  });
  problems.push(
    ...listRemoteProblems("https://localhost", {
      header_forward: { add_headers_from_secret: Object.fromEntries(secret) },
    }),
  );
  const named = headers.map(({ name }) => name.toLowerCase());
  const twice = named.find((name, index) => named.indexOf(name) < index);
  if (twice !== undefined) problems.push(`headers has "${twice}" twice`);
  if (auth?.type === "clientCredentials" && !auth.clientCredentials) problems.push("auth.clientCredentials is missing");
  if (auth && auth.type !== "clientCredentials" && !auth.bearerToken) problems.push("auth.bearerToken is missing");
  return problems.map((problem) => `spec: ${translateMembers(problem)}.`);
}

/** The words of a run configuration as those of the specification. */
function translateMembers(problem: string): string {
  return problem
    .replace(/^url\b/, "remoteURL")
    .replaceAll("header_forward", "headers")
    .replaceAll("allow_insecure_http", "allowInsecureHTTP");
}
