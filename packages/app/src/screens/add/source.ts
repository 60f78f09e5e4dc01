/** What somebody typed or pasted, recognised: the start of a create request. */
import type { OperationInput } from "@toolhive/api/client";
import { isRemoteSource } from "./remote-draft.ts";

export type CreateRequest = OperationInput<"createWorkload">["body"];

export type Source =
  | { readonly kind: "registry" | "image" | "package" | "remote"; readonly request: CreateRequest }
  | { readonly kind: "json"; readonly request: CreateRequest }
  | { readonly kind: "none"; readonly reason: string };

/** Of text that is read as JSON. */
const MAX_JSON = 100_000;
const PACKAGE = /^(npx|uvx|go):\/\/\S+$/;
const IMAGE = /^[a-z0-9][\w.-]*(:\d+)?(\/[\w.-]+)*(:[\w.-]+)?(@sha256:[a-f0-9]{64})?$/i;

/** @param names Of the registry's entries. */
export function recognise(text: string, names: ReadonlySet<string>): Source {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "none", reason: "" };
  if (trimmed.startsWith("{")) return readJson(trimmed);
  if (isRemoteSource(trimmed)) return readAddress(trimmed);
  if (PACKAGE.test(trimmed)) return { kind: "package", request: { image: trimmed } };
  if (names.has(trimmed)) return { kind: "registry", request: { image: trimmed } };
  if (IMAGE.test(trimmed)) return { kind: "image", request: { image: trimmed } };
  return {
    kind: "none",
    reason: `"${trimmed.slice(0, 100)}" is neither a name, nor an image, a package or an address.`,
  };
}

function readAddress(text: string): Source {
  // Said here, because a link, a list and the command below would show the password.
  if (!URL.canParse(text) || /\s/.test(text)) return { kind: "none", reason: `"${text.slice(0, 100)}" is no address.` };
  const { username, password } = new URL(text);
  if (username === "" && password === "") return { kind: "remote", request: { image: text } };
  return { kind: "none", reason: "The address holds a password: forward it as a header from a secret." };
}

/** An entry of a client's file: `{"mcpServers": {"name": {"command": …, "args": […], "env": {…}}}}`, or its inner part. */
function readJson(text: string): Source {
  if (text.length > MAX_JSON) return { kind: "none", reason: `The JSON has more than ${MAX_JSON} characters.` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: "none", reason: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const [name, entry] = findEntry(value);
  const command = textOf(entry?.command);
  const address = textOf(entry?.url) || textOf(entry?.serverUrl);
  if (command === "" && isRemoteSource(address)) return readRemoteEntry(name, address, entry?.headers);
  if (command === "") return { kind: "none", reason: "The JSON has no entry with a command or an address." };
  const args = listOf(entry?.args);
  const image = command === "docker" || command === "podman" ? imageOfRun(args) : packageOf(command, args);
  if (image === undefined) {
    return { kind: "none", reason: `"${command}" cannot run in a container: use npx, uvx, go, docker or podman.` };
  }
  const variables = Object.entries(entry?.env ?? {}).map(([key, each]) => `${key}=${String(each)}`);
  return {
    kind: "json",
    request: {
      image: image.source,
      ...(name !== undefined && { name: nameOf(name) }),
      ...(image.rest.length > 0 && { cmd_arguments: image.rest }),
      ...(variables.length > 0 && { env_vars: variables }),
    },
  };
}

function readRemoteEntry(name: string | undefined, address: string, headers: unknown): Source {
  const source = readAddress(address);
  if (source.kind !== "remote") return source;
  const plain = Object.entries(isRecord(headers) ? headers : {}).map(([key, each]) => [key, String(each)] as const);
  return {
    kind: "json",
    request: {
      ...source.request,
      ...(name !== undefined && { name: nameOf(name) }),
      ...(plain.length > 0 && { header_forward: { add_plaintext_headers: Object.fromEntries(plain) } }),
    },
  };
}

function nameOf(key: string): string {
  return key.replace(/[^\w.-]+/g, "-");
}

interface Entry {
  readonly url?: unknown;
  readonly serverUrl?: unknown;
  readonly headers?: unknown;
  readonly command?: unknown;
  readonly args?: unknown;
  readonly env?: Readonly<Record<string, unknown>>;
}

function findEntry(value: unknown): readonly [name: string | undefined, entry: Entry | undefined] {
  if (!isRecord(value)) return [undefined, undefined];
  if ("command" in value || typeof value.url === "string") return [undefined, value as Entry];
  const inner = value.mcpServers ?? value.servers ?? value;
  if (!isRecord(inner)) return [undefined, undefined];
  const [first] = Object.entries(inner);
  return first !== undefined && isRecord(first[1]) ? [first[0], first[1] as Entry] : [undefined, undefined];
}

interface Command {
  readonly source: string;
  readonly rest: string[];
}

function packageOf(command: string, args: readonly string[]): Command | undefined {
  const program = command
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/\.(cmd|exe)$/i, "");
  const protocol = { npx: "npx", bunx: "npx", uvx: "uvx", pipx: "uvx" }[program ?? ""];
  if (protocol === undefined) return program === "go" && args[0] === "run" ? goPackage(args.slice(1)) : undefined;
  const index = args.findIndex((each) => !each.startsWith("-") && each !== "run");
  const name = args[index];
  return name === undefined ? undefined : { source: `${protocol}://${name}`, rest: args.slice(index + 1) };
}

function goPackage([name, ...rest]: readonly string[]): Command | undefined {
  return name === undefined ? undefined : { source: `go://${name}`, rest };
}

/** The image of `docker run -i --rm -e NAME IMAGE ARGUMENTS`. */
function imageOfRun(args: readonly string[]): Command | undefined {
  const withValue = new Set([
    "-e",
    "--env",
    "-v",
    "--volume",
    "--mount",
    "--name",
    "--network",
    "-p",
    "--publish",
    "-u",
    "--user",
  ]);
  for (let index = args[0] === "run" ? 1 : 0; index < args.length; index += 1) {
    const each = args[index] ?? "";
    if (withValue.has(each)) index += 1;
    else if (!each.startsWith("-")) return { source: each, rest: args.slice(index + 1) };
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
