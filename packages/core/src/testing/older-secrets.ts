/** Secrets as an older version stored them, whose names were not checked. */
import { join } from "node:path";
import { EncryptedSecrets } from "../secrets/encrypted-secrets.ts";

interface OldSecret {
  readonly key: string;
  readonly value: string;
}

/** @param dataDirectory Of a store that is set up, with the cheapest sealing. @param password The store's. */
export async function storeAsOlderVersion(dataDirectory: string, password: string, secret: OldSecret): Promise<void> {
  const quiet = () => undefined;
  const store = new EncryptedSecrets({
    path: join(dataDirectory, "secrets_encrypted"),
    passwords: async () => [password],
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    cost: { log2N: 1, r: 1, p: 1 },
  });
  await store.set(secret.key, secret.value, "absent");
}
