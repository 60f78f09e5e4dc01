/**
 * What a remote server is reached with, besides its address, under the names that clients of the reference send. The same
 * members are in create requests and in run configurations: secrets are in both by name only.
 */
import * as Type from "typebox";

/** Headers that are added to the requests of one server. */
export const MAX_FORWARDED_HEADERS = 50;
/** Further parameters of one sign-in, and characters of each value: all of them become a part of one address. */
const MAX_PARAMETERS = 50;
const MAX_PARAMETER_LENGTH = 1_000;

/** A secret by its name. `target` is what the reference sends beside it; nothing here depends on it. */
const StoredSecretSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, description: "Name of the secret.", examples: ["weather-client-secret"] }),
    target: Type.Optional(Type.String({ description: "No effect." })),
  },
  { $id: "StoredSecret" },
);

export const RemoteSignInSchema = Type.Object(
  {
    required: Type.Optional(
      Type.Boolean({ default: false, description: "Whether to sign in even if the server does not require it." }),
    ),
    issuer: Type.Optional(
      Type.String({
        description: "Authorization server. Default: the one that the server names.",
        examples: ["https://login.example.com"],
      }),
    ),
    client_id: Type.Optional(Type.String({ description: "OAuth client ID. Default: ToolHive registers a client." })),
    client_secret: Type.Optional(StoredSecretSchema),
    bearer_token: Type.Optional(StoredSecretSchema),
    scopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        maxItems: 100,
        description: "Scopes to request. Default: those that the server names.",
        examples: [["tools.read"]],
      }),
    ),
    authorize_url: Type.Optional(
      Type.String({ description: "URL of the sign-in page, for an authorization server without metadata." }),
    ),
    token_url: Type.Optional(
      Type.String({ description: "URL of the token endpoint, for an authorization server without metadata." }),
    ),
    resource: Type.Optional(Type.String({ description: "Resource of the tokens. Default: the server's URL." })),
    oauth_params: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: MAX_PARAMETER_LENGTH }), {
        maxProperties: MAX_PARAMETERS,
        description:
          "Additional parameters of the sign-in page, by name. They do not override the parameters of the sign-in itself.",
        examples: [{ audience: "https://api.example.com" }],
      }),
    ),
    callback_port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65535, description: "Local port of the OAuth callback; 0: a free one." }),
    ),
    skip_browser: Type.Optional(
      Type.Boolean({ default: false, description: "Whether to print the sign-in URL instead of opening a browser." }),
    ),
    use_pkce: Type.Optional(Type.Boolean({ default: true, description: "Without effect: PKCE is always used." })),
  },
  { $id: "RemoteSignIn", description: "How to sign in at a remote server." },
);
export type RemoteSignIn = Readonly<Type.Static<typeof RemoteSignInSchema>>;

export const HeaderForwardSchema = Type.Object(
  {
    add_plaintext_headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Values by the names of headers." }),
    ),
    add_headers_from_secret: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Names of secrets by the names of headers." }),
    ),
  },
  { $id: "HeaderForward", description: "Headers to add to each request to a remote server." },
);
export type HeaderForward = Readonly<Type.Static<typeof HeaderForwardSchema>>;

/** Members that a run configuration keeps as they were asked for. */
export const REMOTE_MEMBERS = {
  oauth_config: Type.Optional(RemoteSignInSchema),
  header_forward: Type.Optional(HeaderForwardSchema),
  allow_insecure_http: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Whether ToolHive may connect to a remote server on another machine by http://, where others on the network can read and change the traffic. ToolHive then sends no secrets.",
    }),
  ),
} as const;

export interface RemoteMembers {
  readonly oauth_config?: RemoteSignIn | undefined;
  readonly header_forward?: HeaderForward | undefined;
  readonly allow_insecure_http?: boolean | undefined;
}

/** The secrets that a remote server needs, with what each is for: the header, or the member. */
export function listRemoteSecrets({ oauth_config, header_forward }: RemoteMembers): { name: string; target: string }[] {
  const headers = Object.entries(header_forward?.add_headers_from_secret ?? {});
  return [
    ...headers.map(([target, name]) => ({ name, target })),
    ...(oauth_config?.client_secret ? [{ name: oauth_config.client_secret.name, target: "client_secret" }] : []),
    ...(oauth_config?.bearer_token ? [{ name: oauth_config.bearer_token.name, target: "bearer_token" }] : []),
  ];
}
