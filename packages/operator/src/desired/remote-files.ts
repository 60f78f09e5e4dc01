/** Secrets and certificates of a remote server, as files of the proxy's pod: they are in no variable and no argument. */
import { type JsonObject, REMOTE_FILES, type RunnerConfig } from "../contract/index.ts";
import type { DesiredContext } from "./context/context.ts";

/** One key of a Secret or a ConfigMap that is a file. */
export interface RemoteFile {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  readonly key: string;
  /** In `REMOTE_FOLDER`. */
  readonly file: string;
}

/** @returns Nothing for an MCPServer. */
export function listRemoteFiles({ remote }: DesiredContext["server"]): RemoteFile[] {
  if (remote === undefined) return [];
  const { auth, headers = [], caBundle } = remote;
  const files: RemoteFile[] = [];
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

/** @returns The sources of a projected volume. */
export function listRemoteSources(server: DesiredContext["server"]): JsonObject[] {
  return listRemoteFiles(server).map(({ kind, name, key, file }) => ({
    [kind === "Secret" ? "secret" : "configMap"]: { name, items: [{ key, path: file }] },
  }));
}

/** What the runner is told of the remote server; names of files in place of secrets. */
export function buildRemoteConfig({ remote }: DesiredContext["server"]): RunnerConfig["remote"] {
  if (remote === undefined) return undefined;
  const { remoteURL: url, headers = [], auth, caBundle } = remote;
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
