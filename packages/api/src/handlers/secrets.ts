/** What the operations on secrets do. */
import type { SecretManager, WorkloadSupervisor } from "@toolhive/core";
import type { Handlers } from "../contract/contract.ts";
import type { SECRETS_OPERATIONS } from "../contract/secrets.ts";

export function secretsHandlers(
  secrets: SecretManager,
  workloads: WorkloadSupervisor,
): Pick<Handlers, keyof typeof SECRETS_OPERATIONS> {
  return {
    setupSecrets: async ({ body }) => {
      const { type, isReconfigured } = await secrets.setUp({ type: body.provider_type, password: body.password });
      const verb = isReconfigured ? "reconfigured" : "setup";
      return { provider_type: type, message: `Secrets provider ${verb} successfully` };
    },
    getSecretsProvider: async () => {
      const { type, capabilities } = await secrets.describe();
      return { name: "default", provider_type: type, capabilities };
    },
    listSecrets: async () => {
      const users = workloads.listSecretUsers();
      return { keys: (await secrets.list()).map((each) => ({ ...each, used_by: users.get(each.key) ?? [] })) };
    },
    createSecret: async ({ body }) => {
      await secrets.create(body.key, body.value);
      return { key: body.key, message: "Secret created successfully" };
    },
    updateSecret: async ({ params, body }) => {
      await secrets.update(params.key, body.value);
      return { key: params.key, message: "Secret updated successfully" };
    },
    deleteSecret: async ({ params }) => {
      await secrets.delete(params.key);
    },
  };
}
