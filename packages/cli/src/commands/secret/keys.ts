/** `thv secret set`, `get`, `delete`, `list` */
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { askHidden, readPiped, readTextFile } from "../../terminal/input.ts";
import { printOutcome } from "../print-outcome.ts";
import { withUnlocked } from "../shared/unlock.ts";
import type { SECRET_DELETE, SECRET_GET, SECRET_LIST, SECRET_SET } from "./definition.ts";

export const setSecret: CommandHandler<typeof SECRET_SET> = async (input, context) => {
  const [key] = input.positionals;
  const client = await connectSupervisor(context);
  // Before the user types a value: can the provider store it?
  const { provider_type, capabilities } = await client.call("getSecretsProvider");
  if (!capabilities.can_write) {
    throw new ThvError("SECRETS_READ_ONLY", `The secrets provider "${provider_type}" cannot store secrets.`, {
      hint: "Choose another one: thv secret setup",
    });
  }
  const value = await readValue(key, input, context);
  if (value === "") throw new ThvError("INVALID_ARGUMENT", `The value of "${key}" is empty.`);
  const isNew = await withUnlocked(client, context, async () => {
    try {
      await client.call("createSecret", { body: { key, value } });
      return true;
    } catch (error) {
      if (!hasCode(error, "SECRET_EXISTS")) throw error;
      await client.call("updateSecret", { params: { key }, body: { value } });
      return false;
    }
  });
  const line = isNew ? `${key} is stored.` : `${key} has a new value.`;
  printOutcome(input, context, { key, status: isNew ? "created" : "updated" }, line);
};

export const getSecret: CommandHandler<typeof SECRET_GET> = async (input, context) => {
  const [key] = input.positionals;
  const client = await connectSupervisor(context);
  const { value } = await withUnlocked(client, context, () => client.call("readSecret", { body: { key } }));
  printOutcome(input, context, { key, value }, value);
};

export const deleteSecret: CommandHandler<typeof SECRET_DELETE> = async (input, context) => {
  const [key] = input.positionals;
  const client = await connectSupervisor(context);
  await withUnlocked(client, context, () => client.call("deleteSecret", { params: { key } }));
  printOutcome(input, context, { key, status: "deleted" }, `${key} is deleted.`);
};

export const listSecrets: CommandHandler<typeof SECRET_LIST> = async (input, context) => {
  const client = await connectSupervisor(context);
  const { keys } = await withUnlocked(client, context, () => client.call("listSecrets"));
  if (input.format === "json") context.terminal.printJson(keys);
  else if (keys.length === 0) context.terminal.info("There are no secrets. Store one: thv secret set github-token");
  else {
    const lines = keys.map(({ key, description }) => `  - ${key}${description ? ` (${description})` : ""}`);
    context.terminal.print(["Secrets:", ...lines].join("\n"));
  }
};

async function readValue(key: string, input: Input<typeof SECRET_SET>, { terminal }: CommandContext): Promise<string> {
  const file = input.file;
  if (file !== undefined) return await readTextFile(file, terminal);
  if (!terminal.stdin.isTTY) return await readPiped(terminal);
  return await askHidden(terminal, `Value of ${key}`);
}
