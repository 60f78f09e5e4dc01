/** What a sign-in yields and a renewal needs: everything that has to outlive the process. */
import { parseJson } from "@toolhive/http/values";
import * as Type from "typebox";
import { Check } from "typebox/schema";

/** Characters; tokens of large organizations have some kilobytes. */
const Text = Type.String({ minLength: 1, maxLength: 16 * 1024 });
const Address = Type.String({ minLength: 1, maxLength: 4096 });
const Time = Type.String({ format: "date-time", maxLength: 40 });
const Scopes = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 });

/** The authorization server's data that is needed so that it is not asked again. */
export const IssuerEndpointsSchema = Type.Object({
  issuer: Address,
  authorization: Type.Optional(Address),
  token: Address,
  registration: Type.Optional(Address),
  revocation: Type.Optional(Address),
  deviceAuthorization: Type.Optional(Address),
  clientAuthMethods: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 }),
});
export type IssuerEndpoints = Type.Static<typeof IssuerEndpointsSchema>;

const GrantClientSchema = Type.Object({
  id: Text,
  secret: Type.Optional(Text),
  /** Whether we registered it; then it is used again for the next sign-in. */
  isRegistered: Type.Boolean(),
  /** The way back that it was registered with. */
  redirectUrl: Type.Optional(Address),
  /** Those that it was registered for: some authorization servers give it no others. */
  scopes: Type.Optional(Scopes),
});
export type GrantClient = Type.Static<typeof GrantClientSchema>;

const GrantTokensSchema = Type.Object({
  access: Text,
  refresh: Type.Optional(Text),
  /** When they were asked for, by the clock of then. */
  obtainedAt: Time,
  /** Seconds that the access token lasts from then; absent when the authorization server does not say. */
  lastsSeconds: Type.Optional(Type.Number({ minimum: 0 })),
});
export type GrantTokens = Type.Static<typeof GrantTokensSchema>;

export const GrantSchema = Type.Object({
  version: Type.Literal(1),
  /** Of the server that it is for: a grant is not used for another one. */
  server: Address,
  kind: Type.Enum(["authorization_code", "device_code"]),
  endpoints: IssuerEndpointsSchema,
  client: GrantClientSchema,
  /** The resource indicator (RFC 8707) of every request. */
  resource: Type.Optional(Address),
  scopes: Scopes,
  /** What the server asked for beyond `scopes`, for the next sign-in. */
  missingScopes: Type.Optional(Scopes),
  signedInAt: Time,
  renewedAt: Type.Optional(Time),
  /** Absent once the authorization server has ended the grant; its client stays for the next sign-in. */
  tokens: Type.Optional(GrantTokensSchema),
  /** Why there are no tokens. */
  endedBecause: Type.Optional(Type.String({ maxLength: 1000 })),
});
export type Grant = Type.Static<typeof GrantSchema>;

/** @returns `undefined` for what is no grant of this version. */
export function parseGrant(text: string): Grant | undefined {
  const value = parseJson(text);
  return Check(GrantSchema, value) ? value : undefined;
}
