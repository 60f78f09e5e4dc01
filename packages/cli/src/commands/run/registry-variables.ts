/** Asks a person for the variables that a server of the registry cannot start without. A secret one is stored as a secret. */

import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { hasCode } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { askHidden, askText } from "../../terminal/input.ts";
import { withUnlocked } from "../shared/unlock.ts";
import type { RequestBody } from "./request-body.ts";

type Declaration = NonNullable<OperationAnswer<"getServer">["server"]>["env_vars"][number];

/** `fetch`, `io.github.owner/server`, each with `@version` or without; an image has another path, a tag or a digest. */
const SERVER = /^(?:[\w-]+(?:\.[\w-]+)+\/)?[\w.-]+(?:@[\w.+-]+)?$/;

/** The request with the answers. Where nobody can be asked it stays as it is, and the supervisor names what is missing. */
export async function withRequiredVariables(
  body: RequestBody,
  client: ApiClient,
  context: CommandContext,
): Promise<RequestBody> {
  if (!context.terminal.canAsk || !SERVER.test(body.image)) return body;
  const given = new Set([
    ...(body.env_vars ?? []).map((item) => item.split("=", 1)[0]),
    ...(body.secrets ?? []).map(({ target }) => target),
  ]);
  const declared = await declaredVariables(body.image, client);
  const missing = declared.filter(({ name, required }) => required && !given.has(name));
  let complete = body;
  for (const variable of missing) complete = await withAnswer(complete, variable, client, context);
  return complete;
}

async function declaredVariables(server: string, client: ApiClient): Promise<readonly Declaration[]> {
  try {
    const { server: entry } = await client.call("getServer", {
      params: { name: "default", serverName: server },
    });
    // Of a remote server, nothing here reads variables.
    return entry?.env_vars ?? [];
  } catch (error) {
    // An image without a path, then.
    if (hasCode(error, "REGISTRY_SERVER_NOT_FOUND")) return [];
    throw error;
  }
}

async function withAnswer(
  body: RequestBody,
  { name, description, secret }: Declaration,
  client: ApiClient,
  context: CommandContext,
): Promise<RequestBody> {
  const { terminal } = context;
  const question = `${name} (${description.replace(/\.$/, "")})`;
  const asVariable = (value: string) => ({ ...body, env_vars: [...(body.env_vars ?? []), `${name}=${value}`] });
  if (!secret) return asVariable(await askText(terminal, question));
  const key = `registry-user-${name.toLowerCase()}`;
  const asSecret = () => ({ ...body, secrets: [...(body.secrets ?? []), { name: key, target: name }] });
  if (!(await canStore(client))) {
    terminal.info(`${name} cannot be stored as a secret, and is kept in plain text. See: thv secret setup`);
    return asVariable(await askHidden(terminal, question));
  }
  const { keys } = await withUnlocked(client, context, () => client.call("listSecrets"));
  if (keys.some((stored) => stored.key === key)) {
    terminal.info(`${name} is taken from the secret ${key}. Change it: thv secret set ${key}`);
    return asSecret();
  }
  const value = await askHidden(terminal, question);
  await client.call("createSecret", { body: { key, value } });
  terminal.info(`${name} is stored as the secret ${key}.`);
  return asSecret();
}

async function canStore(client: ApiClient): Promise<boolean> {
  try {
    return (await client.call("getSecretsProvider")).capabilities.can_write;
  } catch (error) {
    if (hasCode(error, "SECRETS_NOT_SET_UP")) return false;
    throw error;
  }
}
