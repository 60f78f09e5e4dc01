/** The operations on secrets. No answer holds a value. Source: api-behaviour 2.5. */
import { SECRET_PROVIDER_TYPES } from "@toolhive/core";
import { MIN_PASSWORD_LENGTH } from "@toolhive/core/password-length";
import * as Type from "typebox";
import { DOCUMENTED } from "./parts/documented.ts";
import { operation } from "./parts/operation.ts";

const JSON_TYPE = "application/json";
const ProviderType = Type.Enum([...SECRET_PROVIDER_TYPES]);

const SetupSecretsSchema = Type.Object(
  {
    provider_type: Type.String({
      minLength: 1,
      description: `Where secrets are stored: ${SECRET_PROVIDER_TYPES.join(", ")}.`,
      examples: [...SECRET_PROVIDER_TYPES],
      ...DOCUMENTED.secretsProvider,
    }),
    password: Type.Optional(
      Type.String({
        description: `Password of the encrypted provider; a new store needs at least ${MIN_PASSWORD_LENGTH} characters. Default: the password that is known, or a new one if the operating system has a keyring.`,
      }),
    ),
  },
  { $id: "SetupSecretsRequest" },
);

const SetupSecretsAnswerSchema = Type.Object(
  { provider_type: ProviderType, message: Type.String() },
  { $id: "SetupSecretsResponse" },
);

const SecretsProviderSchema = Type.Object(
  {
    name: Type.Literal("default"),
    provider_type: ProviderType,
    capabilities: Type.Object(
      {
        can_read: Type.Boolean(),
        can_write: Type.Boolean(),
        can_delete: Type.Boolean(),
        can_list: Type.Boolean(),
        can_cleanup: Type.Boolean(),
      },
      { $id: "ProviderCapabilities" },
    ),
  },
  { $id: "SecretsProvider" },
);

const SecretKey = Type.String({ minLength: 1, description: "Name of the secret.", examples: ["github-token"] });
const SecretValue = Type.String({ minLength: 1, description: "Value of the secret. No response contains it." });

const SecretListSchema = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          key: SecretKey,
          description: Type.Optional(Type.String({ description: "Where the provider stores the secret." })),
          used_by: Type.Array(Type.String(), {
            description:
              "Names of the workloads that use the secret, sorted. They get a new value at their next start.",
          }),
        },
        { $id: "SecretKey" },
      ),
    ),
  },
  { $id: "SecretList" },
);

const CreateSecretSchema = Type.Object({ key: SecretKey, value: SecretValue }, { $id: "CreateSecretRequest" });
const UpdateSecretSchema = Type.Object({ value: SecretValue }, { $id: "UpdateSecretRequest" });
const SecretAnswerSchema = Type.Object({ key: SecretKey, message: Type.String() }, { $id: "SecretResponse" });

const KEY_PARAM = { key: Type.String({ minLength: 1, description: "Name of the secret, percent-encoded." }) };
const BAD_BODY = "Invalid request body";

/** What every operation on a provider that was set up may fail with. */
const ACCESS_ERRORS = {
  SECRETS_NOT_SET_UP: "Secrets provider not setup",
  SECRETS_LOCKED: "Failed to access secrets provider",
  SECRETS_FAILED: "Failed to access secrets provider",
  CONFIG_INVALID: "Failed to access secrets provider",
} as const;

export const SECRETS_OPERATIONS = {
  setupSecrets: operation({
    tag: "secrets",
    summary: "Set up the secrets provider",
    description:
      "Tests the provider first; if the test fails, nothing changes. The secrets of another provider stay there. A password that does not open the encrypted secrets is refused; to change the password, use thv secret change-password.",
    body: SetupSecretsSchema,
    decodeError: BAD_BODY,
    missingError: "Provider type cannot be empty",
    success: {
      status: 201,
      description: "The provider is in use.",
      contentType: JSON_TYPE,
      schema: SetupSecretsAnswerSchema,
    },
    errors: {
      SECRETS_NO_KEYRING: "failed to create provider:",
      SECRETS_WRONG_PASSWORD: "Provider validation failed:",
      SECRETS_LOCKED: "Provider validation failed:",
      SECRETS_FAILED: "Provider validation failed:",
      CONFIG_INVALID: "Failed to update configuration:",
      CONFIG_LOCKED: "Failed to update configuration:",
    },
  }),
  getSecretsProvider: operation({
    tag: "secrets",
    summary: "Get the secrets provider",
    success: { status: 200, description: "The provider.", contentType: JSON_TYPE, schema: SecretsProviderSchema },
    errors: {
      SECRETS_NOT_SET_UP: ACCESS_ERRORS.SECRETS_NOT_SET_UP,
      SECRETS_FAILED: "Failed to get provider type",
      CONFIG_INVALID: "Failed to get provider type",
    },
  }),
  listSecrets: operation({
    tag: "secrets",
    summary: "List the names of secrets",
    success: { status: 200, description: "The names, sorted.", contentType: JSON_TYPE, schema: SecretListSchema },
    errors: ACCESS_ERRORS,
  }),
  createSecret: operation({
    tag: "secrets",
    summary: "Store a secret",
    body: CreateSecretSchema,
    decodeError: BAD_BODY,
    missingError: "Both 'key' and 'value' are required",
    success: { status: 201, description: "The secret is stored.", contentType: JSON_TYPE, schema: SecretAnswerSchema },
    errors: {
      ...ACCESS_ERRORS,
      SECRETS_READ_ONLY: "Secrets provider does not support creating secrets",
      SECRET_EXISTS: "Secret already exists",
    },
  }),
  updateSecret: operation({
    tag: "secrets",
    summary: "Replace the value of a secret",
    description: "A workload that uses the secret gets the new value at its next start.",
    params: KEY_PARAM,
    body: UpdateSecretSchema,
    decodeError: BAD_BODY,
    missingError: "Value is required",
    success: { status: 200, description: "The value is replaced.", contentType: JSON_TYPE, schema: SecretAnswerSchema },
    errors: {
      ...ACCESS_ERRORS,
      SECRETS_READ_ONLY: "Secrets provider does not support updating secrets",
      SECRET_NOT_FOUND: "Secret not found",
    },
  }),
  deleteSecret: operation({
    tag: "secrets",
    summary: "Delete a secret",
    params: KEY_PARAM,
    success: { status: 204, description: "The secret is deleted." },
    errors: {
      ...ACCESS_ERRORS,
      SECRETS_READ_ONLY: "Secrets provider does not support deleting secrets",
      SECRET_NOT_FOUND: "Secret not found",
    },
  }),
};
