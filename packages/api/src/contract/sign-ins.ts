/** The operations on sign-ins at remote servers. No answer holds a token. */
import { GRANT_STATES } from "@toolhive/core";
import * as Type from "typebox";
import { operation } from "./parts/operation.ts";
import { NAME_PARAM } from "./workloads.ts";

const JSON_TYPE = "application/json";
const Time = Type.String({ format: "date-time" });

const ErrorSchema = Type.Object({
  code: Type.String({ description: "Stable code in the error catalogue." }),
  message: Type.String(),
  hint: Type.Optional(Type.String({ description: "What to do next." })),
});

const OFFER = {
  address: Type.String({ description: "URL to open in a browser." }),
  callback_port: Type.Optional(
    Type.Integer({
      description:
        "Port of this machine to which the browser returns. A browser on another machine needs a tunnel to it on 127.0.0.1. Absent for a code.",
    }),
  ),
  user_code: Type.Optional(Type.String({ description: "Code to enter at the URL, if the sign-in is by code." })),
  expires_at: Type.String({ format: "date-time", description: "Time at which the sign-in expires." }),
};

const SignInOfferSchema = Type.Object(OFFER, { $id: "SignInOffer" });

const SignInStatusSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the workload." }),
    server: Type.String({ description: "URL of the remote server." }),
    state: Type.Enum([...GRANT_STATES, "unknown"], {
      description:
        "`open`: no sign-in is required. `unknown`: the server does not answer, so it is not known whether it requires a sign-in. `valid`: requests are authorized. `renewing`: the token has expired, and ToolHive tries again to renew it. `unauthenticated`: somebody must sign in.",
    }),
    kind: Type.Enum(["none", "bearer", "authorization_code", "device_code"], {
      description: "How the token was obtained.",
    }),
    issuer: Type.Optional(Type.String({ description: "The authorization server." })),
    client_id: Type.Optional(Type.String()),
    scopes: Type.Array(Type.String()),
    expires_at: Type.Optional(
      Type.String({ format: "date-time", description: "Time at which the access token expires." }),
    ),
    renewed_at: Type.Optional(Time),
    kept_in: Type.Optional(
      Type.Enum(["secrets", "memory"], {
        description: "Where the token is stored. A token in memory is lost when the supervisor ends.",
      }),
    ),
    renewable: Type.Boolean({ description: "Whether ToolHive renews the token automatically." }),
    error: Type.Optional(ErrorSchema),
    login: Type.Optional(
      Type.Object(
        { state: Type.Enum(["waiting", "done", "failed"]), ...OFFER, error: Type.Optional(ErrorSchema) },
        { description: "The newest sign-in since the supervisor started." },
      ),
    ),
  },
  { $id: "SignInStatus" },
);

const FOUND_ERRORS = {
  INVALID_WORKLOAD_NAME: "Invalid workload name:",
  WORKLOAD_NOT_FOUND: "Workload not found",
  INVALID_ARGUMENT: "Failed to sign in:",
} as const;

export const SIGN_INS_OPERATIONS = {
  listSignIns: operation({
    tag: "sign-ins",
    summary: "List the sign-ins of workloads",
    success: {
      status: 200,
      description: "The sign-in of each remote server's workload, sorted by name.",
      contentType: JSON_TYPE,
      schema: Type.Object({ sign_ins: Type.Array(SignInStatusSchema) }, { $id: "SignInList" }),
    },
    errors: {},
  }),
  getSignIn: operation({
    tag: "sign-ins",
    summary: "Get the sign-in of a workload",
    params: NAME_PARAM,
    success: { status: 200, description: "The sign-in.", contentType: JSON_TYPE, schema: SignInStatusSchema },
    errors: FOUND_ERRORS,
  }),
  beginSignIn: operation({
    tag: "sign-ins",
    summary: "Begin the sign-in of a workload",
    description:
      "Returns the URL at which a person signs in at the workload's remote server. Poll `login` of `getSignIn` for the progress. A sign-in that is already waiting ends. ToolHive keeps the grant with the secrets and renews it automatically.",
    params: NAME_PARAM,
    body: Type.Object(
      {
        method: Type.Optional(
          Type.Enum(["browser", "device", "device-or-browser"], {
            default: "browser",
            description:
              "Where the browser is: on this machine, or anywhere, with a code to enter. The third value uses a code if the authorization server supports it.",
          }),
        ),
      },
      { $id: "BeginSignInRequest" },
    ),
    success: {
      status: 200,
      description: "A person can sign in now.",
      contentType: JSON_TYPE,
      schema: SignInOfferSchema,
    },
    errors: {
      ...FOUND_ERRORS,
      UNAUTHENTICATED: "Failed to sign in:",
      ISSUER_UNAVAILABLE: "Failed to sign in:",
      SERVER_NOT_READY: "Failed to sign in:",
      PORT_IN_USE: "Failed to sign in:",
      LIMIT_REACHED: "Failed to sign in:",
      SECRET_NOT_FOUND: "Failed to sign in:",
      SECRETS_NOT_SET_UP: "Failed to sign in:",
      SECRETS_NOT_READABLE: "Failed to sign in:",
      SECRETS_LOCKED: "Failed to access secrets provider",
      SECRETS_FAILED: "Failed to access secrets provider",
    },
  }),
  endSignIn: operation({
    tag: "sign-ins",
    summary: "End the sign-in of a workload",
    description: "Revokes the tokens if the authorization server supports that, and deletes them.",
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "The tokens are deleted.",
      contentType: JSON_TYPE,
      schema: Type.Object(
        { revoked: Type.Boolean({ description: "Whether the authorization server revoked the tokens." }) },
        { $id: "EndedSignIn" },
      ),
    },
    errors: {
      ...FOUND_ERRORS,
      WORKLOAD_BUSY: "Sign-in is being renewed",
      SECRETS_LOCKED: "Failed to access secrets provider",
      SECRETS_FAILED: "Failed to access secrets provider",
    },
  }),
};
