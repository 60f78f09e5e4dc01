/** The server of an MCPRemoteProxy as a remote server of this machine. */
import type { CreateRequest } from "@toolhive/core";
import type { MCPRemoteProxySpec } from "../contract/index.ts";
import type { ManifestNote } from "./manifest-note.ts";
import type { NameSecret } from "./name-secrets.ts";

/** @param notes Get one for what this machine does in another way, or cannot take over. */
export function readRemote(spec: MCPRemoteProxySpec, nameSecret: NameSecret, notes: ManifestNote[]): CreateRequest {
  const { remoteURL, allowInsecureHTTP, headers = [], auth, caBundle } = spec;
  const plain = headers.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  const secret = headers.flatMap(({ name, secretKeyRef }) =>
    secretKeyRef ? [[name, nameSecret(secretKeyRef)] as const] : [],
  );
  const signIn = readSignIn(auth, nameSecret, notes);
  if (caBundle)
    notes.push({
      words: "Left out, because it is in a ConfigMap",
      lost: ["caBundle"],
      reason: "it is in a ConfigMap of the cluster",
    });
  return {
    image: remoteURL,
    ...(allowInsecureHTTP && { allow_insecure_http: true }),
    ...((plain.length > 0 || secret.length > 0) && {
      header_forward: {
        ...(plain.length > 0 && { add_plaintext_headers: Object.fromEntries(plain) }),
        ...(secret.length > 0 && { add_headers_from_secret: Object.fromEntries(secret) }),
      },
    }),
    ...(signIn && { oauth_config: signIn }),
  };
}

function readSignIn(
  auth: MCPRemoteProxySpec["auth"],
  nameSecret: NameSecret,
  notes: ManifestNote[],
): CreateRequest["oauth_config"] {
  if (auth === undefined) return undefined;
  if (auth.type !== "clientCredentials")
    return auth.bearerToken && { bearer_token: { name: nameSecret(auth.bearerToken) } };
  const { issuer, tokenURL, clientID, clientSecret, scopes, resource } = auth.clientCredentials ?? {};
  notes.push({
    sentence: "On the cluster the proxy signs in at the server by itself; here a person does: thv auth login NAME",
    lost: ["auth.type"],
    reason: "the proxy signs in by itself on the cluster; here a person does: thv auth login",
  });
  return {
    required: true,
    ...(issuer && { issuer }),
    ...(tokenURL && { token_url: tokenURL }),
    ...(clientID && { client_id: clientID }),
    ...(clientSecret && { client_secret: { name: nameSecret(clientSecret) } }),
    ...(scopes && { scopes: [...scopes] }),
    ...(resource && { resource }),
  };
}
