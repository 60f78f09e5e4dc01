/** An MCPRemoteProxy: a proxy for a server that runs elsewhere. Its secrets are files of the proxy's pod, in no variable and no argument. */
import { listRemoteProblems, listSentences, type RemoteMembers } from "@toolhive/core";
import {
  DEFAULT_PORT,
  type MCPRemoteProxy,
  type MCPRemoteProxySpec,
  nameObjects,
  REMOTE_FILES,
  type RunnerConfig,
} from "../../contract/index.ts";
import { listSharedProblems } from "./list-shared-problems.ts";
import type { Privilege, ProxyFile, ProxySpec } from "./proxy-spec.ts";

/** Characters of a name such that its Service `mcp-NAME-remote-proxy` has 63 at most. */
const MAX_NAME = 46;

export function readRemoteProxySpec(object: MCPRemoteProxy): ProxySpec {
  const { spec } = object;
  const { transport = "streamable-http", replicas = 1, serviceAccount } = spec;
  return {
    transport,
    isStdio: false,
    port: spec.port ?? spec.proxyPort ?? DEFAULT_PORT,
    proxyReplicas: replicas,
    replicasMember: "spec.replicas",
    stop: replicas === 0 ? "spec.replicas is 0" : undefined,
    maxNameLength: MAX_NAME,
    account: serviceAccount || undefined,
    clientTransports: [transport],
    // Sessions have ids that the server elsewhere made, and any proxy takes them there.
    hasReplicas: false,
    // Each proxy remembers whose a session is.
    isSticky: true,
    groupNaming: undefined,
    remedy: "Correct",
    listProblems: () => [...listOwnProblems(spec), ...listSharedProblems(spec)],
    listPrivileges: () => listPrivileges(object),
    listFiles: () => listFiles(spec),
    buildBackend: () => ({ remote: buildRemoteConfig(spec) }),
  };
}

function listPrivileges(object: MCPRemoteProxy): Privilege[] {
  const { serviceAccount } = object.spec;
  if (!serviceAccount || serviceAccount === nameObjects(object).proxyAccount) return [];
  return [{ member: "spec.serviceAccount", gives: "gives the proxy the rights of an account that is not its own" }];
}

function listFiles({ auth, headers = [], caBundle }: MCPRemoteProxySpec): ProxyFile[] {
  const files: ProxyFile[] = [];
  const secret = (file: string, key: { readonly name: string; readonly key: string } | undefined) => {
    if (key !== undefined) files.push({ kind: "Secret", name: key.name, key: key.key, file });
  };
  if (auth?.type === "clientCredentials") secret(REMOTE_FILES.clientSecret, auth.clientCredentials?.clientSecret);
  else secret(REMOTE_FILES.bearerToken, auth?.bearerToken);
  for (const [index, { secretKeyRef }] of headers.entries()) secret(REMOTE_FILES.header(index), secretKeyRef);
  if (caBundle)
    files.push({ kind: "ConfigMap", name: caBundle.name, key: caBundle.key ?? "ca.crt", file: REMOTE_FILES.ca });
  return files;
}

/** What the runner reads about the server; names of files replace secrets. */
function buildRemoteConfig({
  remoteURL: url,
  headers = [],
  auth,
  caBundle,
}: MCPRemoteProxySpec): NonNullable<RunnerConfig["remote"]> {
  const { clientCredentials } = auth ?? {};
  const plain = headers.filter(({ value }) => value !== undefined).map(({ name, value = "" }) => [name, value]);
  const secret = headers.flatMap(({ name, secretKeyRef }, index) =>
    secretKeyRef ? [[name, REMOTE_FILES.header(index)]] : [],
  );
  return {
    url,
    headers: Object.fromEntries(plain),
    secret_headers: Object.fromEntries(secret),
    has_ca: caBundle !== undefined,
    ...(auth && auth.type !== "clientCredentials" && { has_bearer_token: true }),
    ...(auth?.type === "clientCredentials" &&
      clientCredentials && {
        client_credentials: {
          client_id: clientCredentials.clientID,
          ...(clientCredentials.issuer && { issuer: clientCredentials.issuer }),
          ...(clientCredentials.tokenURL && { token_url: clientCredentials.tokenURL }),
          ...(clientCredentials.scopes && { scopes: [...clientCredentials.scopes] }),
          ...(clientCredentials.resource && { resource: clientCredentials.resource }),
        },
      }),
  };
}

/** What a rule of the definition cannot say. */
function listOwnProblems({ remoteURL, allowInsecureHTTP = false, headers = [], auth }: MCPRemoteProxySpec): string[] {
  const plain = headers.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  const secret = headers.flatMap(({ name, secretKeyRef }) => (secretKeyRef ? [[name, secretKeyRef.name]] : []));
  const check = (address: string, members: RemoteMembers) =>
    listSentences(listRemoteProblems(address, members, ([member = ""], words) => MEMBERS[member] ?? words));
  const problems = [
    // Over http, the specification says whether secrets go that way: within a cluster they may.
    ...check(remoteURL, {
      allow_insecure_http: allowInsecureHTTP,
      header_forward: { add_plaintext_headers: Object.fromEntries(plain) },
    }),
    ...check("https://localhost", { header_forward: { add_headers_from_secret: Object.fromEntries(secret) } }),
  ];
  const named = headers.map(({ name }) => name.toLowerCase());
  const twice = named.find((name, index) => named.indexOf(name) < index);
  if (twice !== undefined) problems.push(`headers has "${twice}" twice`);
  if (auth?.type === "clientCredentials" && !auth.clientCredentials) problems.push("auth.clientCredentials is missing");
  if (auth && auth.type !== "clientCredentials" && !auth.bearerToken) problems.push("auth.bearerToken is missing");
  return problems.map((problem) => `spec: ${problem}.`);
}

/** Members of a request as the specification calls them. */
const MEMBERS: Readonly<Record<string, string>> = {
  url: "remoteURL",
  header_forward: "headers",
  allow_insecure_http: "allowInsecureHTTP",
};
