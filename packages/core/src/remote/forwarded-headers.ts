/** The headers that are added to each request to a remote server. Values of secrets are read at each start and never kept. */
import type { ResolveSecrets } from "../secrets/secret-reference.ts";
import { ThvError } from "../support/errors.ts";
import { isHeaderValue } from "./remote-address.ts";
import type { RemoteMembers } from "./remote-schema.ts";

/** @returns With names in lower case. @throws {ThvError} Why a secret cannot be read; `INVALID_ARGUMENT` for one that is no header. */
export async function readForwardedHeaders(
  { header_forward: { add_plaintext_headers: plain = {}, add_headers_from_secret: secret = {} } = {} }: RemoteMembers,
  resolveSecrets: ResolveSecrets,
): Promise<Record<string, string>> {
  const references = Object.entries(secret).map(([target, name]) => ({ name, target }));
  const values = references.length > 0 ? await resolveSecrets(references) : {};
  for (const { name, target } of references) {
    if (isHeaderValue(values[target] ?? "\n")) continue;
    throw new ThvError("INVALID_ARGUMENT", `The secret "${name}" cannot be sent as the header ${target}.`, {
      hint: `A header is one line of at most 8 KiB. Set it again: thv secret set ${name}`,
    });
  }
  const all = Object.entries({ ...plain, ...values });
  return Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), value]));
}
