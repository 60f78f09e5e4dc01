/**
 * The settings of a registry entry, and its requirements. The command asks for the variables without which the server cannot
 * start; it stores a secret one as a secret, which stays stored when the server runs. It asks before an entry gets access to this
 * machine.
 */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { hasCode, ThvError } from "@toolhive/core/errors";
import { DEFAULT_SOURCE } from "@toolhive/core/registry-source";
import type { CommandContext } from "../../command-line/command.ts";
import { askHidden, askText, askYes } from "../../terminal/input.ts";
import { withUnlocked } from "../shared/unlock.ts";
import type { RequestBody } from "./request-body.ts";

type Located = OperationAnswer<"getCatalogEntry">;
type Entry = NonNullable<Located["server"]>;
type Declaration = Entry["env_vars"][number];

export interface StoredSecrets {
  readonly body: RequestBody;
  /** Prints the stored secrets, once the workload exists. */
  readonly announce: () => void;
  /** Deletes the stored secrets, when the workload was not created. */
  readonly forget: () => Promise<void>;
}

/** Deletes them; prints the names of those that remain. */
export async function forgetSecrets(keys: readonly string[], client: ApiClient, { terminal }: CommandContext) {
  for (const key of keys) {
    await client.call("deleteSecret", { params: { key } }).catch((error: unknown) => {
      if (!hasCode(error, "SECRET_NOT_FOUND")) terminal.info(`The secret ${key} is still stored.`);
    });
  }
}

/**
 * `fetch`, `io.github.owner/server`, each with `@version` or without, and with `source/` before it or without; an image has another
 * path, a tag or a digest.
 */
const SERVER = /^(?:[a-z][a-z0-9-]*\/)?(?:[\w-]+(?:\.[\w-]+)+\/)?[\w.-]+(?:@[\w.+-]+)?$/;

/** The request with the answers. Without a terminal it stays as it is, and the supervisor names the missing ones. */
export async function withRequiredVariables(
  body: RequestBody,
  client: ApiClient,
  context: CommandContext,
): Promise<StoredSecrets> {
  const stored = new Map<string, string>();
  const asked = (complete: RequestBody): StoredSecrets => ({
    body: complete,
    announce: () => {
      for (const [key, name] of stored) context.terminal.info(`${name} is stored as the secret ${key}.`);
    },
    forget: () => forgetSecrets([...stored.keys()], client, context),
  });
  if (!context.terminal.canAsk || !SERVER.test(body.image)) return asked(body);
  const given = new Set([
    ...(body.env_vars ?? []).map((item) => item.split("=", 1)[0]),
    ...(body.secrets ?? []).map(({ target }) => target),
  ]);
  const declared = await declaredVariables(body.image, client);
  const missing = declared.filter(({ name, required }) => required && !given.has(name));
  let complete = body;
  try {
    for (const variable of missing) complete = await withAnswer(complete, variable, { client, context, stored });
  } catch (error) {
    await asked(complete).forget();
    throw error;
  }
  return asked(complete);
}

async function declaredVariables(server: string, client: ApiClient): Promise<readonly Declaration[]> {
  // Of a remote server, nothing here reads variables.
  return (await locateEntry(server, client))?.server?.env_vars ?? [];
}

async function locateEntry(reference: string, client: ApiClient): Promise<Located | undefined> {
  try {
    return await client.call("getCatalogEntry", { params: { reference } });
  } catch (error) {
    // The reference is that of an image without a path.
    if (hasCode(error, "REGISTRY_SERVER_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** Names the source of the entry when it is not the default one, and when another source has a server of this name, too. */
export async function reportSource(
  { image }: RequestBody,
  client: ApiClient,
  { terminal }: CommandContext,
): Promise<void> {
  if (!SERVER.test(image)) return;
  const { source, also_in: others = [] } = (await locateEntry(image, client)) ?? {};
  if (source === undefined || (source === DEFAULT_SOURCE && others.length === 0)) return;
  const more = others.map((other) => `thv run ${other}/${image}`).join(", ");
  terminal.info(
    `"${image}" is the server of the registry source "${source}".${more === "" ? "" : ` Others have one of this name, too: ${more}`}`,
  );
}

/**
 * Shows the folders that only the entry names before anything happens, and asks about those that give access to more than a
 * folder.
 *
 * @throws {ThvError} `NOT_CONFIRMED`, `INTERRUPTED`.
 */
export async function confirmEntry(
  { image, name, permission_profile: profile, transport }: RequestBody,
  isAllowed: boolean,
  client: ApiClient,
  { terminal }: CommandContext,
): Promise<void> {
  if (profile !== undefined || !SERVER.test(image)) return;
  const permissions = (await locateEntry(image, client))?.server?.permissions;
  const { read = [], write = [] } = permissions ?? {};
  if (!permissions || read.length + write.length === 0) return;
  const { listWarnings } = await import("@toolhive/core");
  const { confirmGrants, showGrants } = await import("../shared/questions/confirm-grants.ts");
  const folder = (access: string) => (text: string) => ({ kind: "folder" as const, text: `${text} (${access})` });
  const grants = [...read.map(folder("read")), ...write.map(folder("write"))];
  const warnings = listWarnings({
    name: name ?? image,
    permission_profile: permissions,
    transport: asTransport(transport),
  }).filter((warning) => warning.startsWith("The server gets "));
  const server = { name: name ?? image, grants, warnings };
  if (warnings.length === 0) {
    showGrants([server], terminal);
    return;
  }
  const source = `The registry's entry "${image}"`;
  await confirmGrants([server], { source, isAllowed, command: `thv run --yes ${image}` }, terminal);
}

function asTransport(text: string | undefined): "stdio" | "sse" | "streamable-http" {
  return text === "sse" || text === "streamable-http" ? text : "stdio";
}

interface Asking {
  readonly client: ApiClient;
  readonly context: CommandContext;
  /** Secrets that were stored now, with the variable of each. */
  readonly stored: Map<string, string>;
}

async function withAnswer(
  body: RequestBody,
  { name, description, secret }: Declaration,
  { client, context, stored }: Asking,
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
    await assertGiven({ server: body.image, key, name }, client, context);
    terminal.info(`${name} is taken from the secret ${key}. Change it: thv secret set ${key}`);
    return asSecret();
  }
  const value = await askHidden(terminal, question);
  await client.call("createSecret", { body: { key, value } });
  stored.set(key, name);
  return asSecret();
}

/**
 * Another person's registry may name any variable, and would get a secret that was stored for another server. @throws {ThvError}
 * `INTERRUPTED`.
 */
async function assertGiven(
  { server, key, name }: { readonly server: string; readonly key: string; readonly name: string },
  client: ApiClient,
  context: CommandContext,
): Promise<void> {
  const { openConfig } = await import("../shared/open-registry.ts");
  const { registry_url: url } = await openConfig(context).load();
  const { source = DEFAULT_SOURCE } = (await locateEntry(server, client)) ?? {};
  const registry = source === DEFAULT_SOURCE ? url : `the registry source "${source}"`;
  if (registry === "") return;
  const question = `Give ${server} of ${registry} the stored secret ${key}, as ${name}?`;
  if (await askYes(context.terminal, question)) return;
  throw new ThvError("INTERRUPTED", "Cancelled: nothing was started.", {
    hint: `Give it another secret: thv run ${server} --secret NAME,target=${name}`,
  });
}

async function canStore(client: ApiClient): Promise<boolean> {
  try {
    return (await client.call("getSecretsProvider")).capabilities.can_write;
  } catch (error) {
    if (hasCode(error, "SECRETS_NOT_SET_UP")) return false;
    throw error;
  }
}
