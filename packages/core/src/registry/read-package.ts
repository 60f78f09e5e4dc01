/** A package of a `server.json` becomes an image or a package target, with its arguments and variables. */
import { parseImageReference } from "../images/image-reference.ts";
import { assertExtraPackage, parsePackageTarget } from "../images/package-target.ts";
import { describeError } from "../support/errors.ts";
import { fillTemplate, readArguments, readDeclaration, type TemplateValues } from "./read-inputs.ts";
import { REGISTRY_TRANSPORTS, type RegistryServer } from "./registry-schema.ts";
import type { NamedInput, ServerArgument, ServerPackage } from "./server-json-schema.ts";

export type PackageParts = Pick<
  RegistryServer,
  "image" | "base_image" | "with" | "transport" | "target_port" | "env_vars" | "args" | "needed_args"
>;

/** Kinds that run here, the one that needs no build first. */
const KINDS = ["oci", "npm", "pypi"];
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ["nuget", "packages of NuGet need .NET, for which no image is built here"],
  ["mcpb", "bundles (mcpb) are programs for the machine itself, and servers run in containers here"],
  ["cargo", "packages of crates.io need Rust, for which no image is built here"],
]);
/** Registries that packages are fetched from by default. */
const HOME: Readonly<Record<string, RegExp>> = {
  npm: /^https:\/\/registry\.npmjs\.(?:org|com)\/?$/,
  pypi: /^https:\/\/(?:www\.)?pypi\.(?:org|python\.org)(?:\/simple)?\/?$/,
};

/** Arguments of a runtime that have no effect here: their effect is the default, or is reached in another way. */
const IGNORED_ARGUMENTS = new Set([
  ...["run", "exec", "-y", "--yes", "-i", "--interactive", "-t", "--tty", "-it", "--rm", "--init", "--name"],
  ...["-p", "--publish", "-q", "--quiet", "--pull", "--"],
]);
const VARIABLE_ARGUMENTS = new Set(["-e", "--env"]);
/** Of a package manager, by the kind of package. */
const INSTALL_ARGUMENTS: Readonly<Record<string, ReadonlyMap<string, "from" | "with" | "python">>> = {
  npm: new Map([["--package", "from"]]),
  pypi: new Map([
    ["--from", "from"],
    ["--with", "with"],
    ["--python", "python"],
  ]),
};

/** Packages in the order in which they are tried. */
export function sortPackages(packages: readonly ServerPackage[]): ServerPackage[] {
  const rank = ({ registryType }: ServerPackage) =>
    (KINDS.indexOf(registryType) + KINDS.length + 1) % (KINDS.length + 1);
  return packages.toSorted((left, right) => rank(left) - rank(right));
}

/** @returns A text that says why it cannot run here. */
export function readPackage(pack: ServerPackage): PackageParts | string {
  const runtime = readRuntimeArguments(pack.registryType, pack.runtimeArguments ?? []);
  if (typeof runtime === "string") return runtime;
  const { variables: runtimeVariables, from, extra, base } = runtime;
  const image = findTarget(pack, from, extra);
  if (!image.isFound) return image.reason;
  const transport = REGISTRY_TRANSPORTS.find((each) => each === (pack.transport?.type ?? "stdio"));
  if (transport === undefined) return `its transport is "${pack.transport?.type}"`;
  const { args, needed } = readArguments(pack.packageArguments ?? []);
  const variables = new Map(
    [...runtimeVariables, ...(pack.environmentVariables ?? [])].map((each) => [each.name, each]),
  );
  const port = transport === "stdio" ? undefined : findPort(pack);
  return {
    image: image.target,
    ...(base !== undefined && { base_image: base }),
    ...(extra.length > 0 && { with: [...extra] }),
    transport,
    ...(port !== undefined && { target_port: port }),
    ...(variables.size > 0 && { env_vars: [...variables.values()].map(readDeclaration) }),
    ...(args.length > 0 && { args: [...args] }),
    ...(needed.length > 0 && { needed_args: [...needed] }),
  };
}

type Target =
  | { readonly isFound: true; readonly target: string }
  | { readonly isFound: false; readonly reason: string };

/** @param from Package that the entry's name is a program of. */
function findTarget(pack: ServerPackage, from: string | undefined, extra: readonly string[]): Target {
  const { registryType: kind, registryBaseUrl: base } = pack;
  const refuse = (reason: string): Target => ({ isFound: false, reason });
  if (!KINDS.includes(kind))
    return refuse(UNSUPPORTED.get(kind) ?? `packages of the kind "${kind}" are not known here`);
  if (base !== undefined && HOME[kind]?.test(base) === false) return refuse(`its ${kind} package is at ${base}`);
  const target = kind === "oci" ? formatImage(pack) : formatPackage(pack, from);
  try {
    if (kind === "oci") parseImageReference(target);
    else parsePackageTarget(target);
    for (const each of extra) assertExtraPackage("uvx", each);
    return { isFound: true, target };
  } catch (error) {
    return refuse(describeError(error).replace(/\.$/, ""));
  }
}

function formatPackage({ registryType, identifier, version }: ServerPackage, from: string | undefined): string {
  const suffix = version === undefined || version === "" || version === "latest" ? "" : `@${version}`;
  const scheme = registryType === "npm" ? "npx" : "uvx";
  if (from === undefined) return `${scheme}://${identifier}${suffix}`;
  return from === identifier ? `${scheme}://${from}${suffix}` : `${scheme}://${from}#${identifier}`;
}

/** Older entries have the registry and the version in members of their own. */
function formatImage({ identifier, version, registryBaseUrl }: ServerPackage): string {
  const [first = "", ...rest] = identifier.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const host =
    registryBaseUrl === undefined || hasHost ? "" : (registryBaseUrl.replace(/^https?:\/\//, "").split("/")[0] ?? "");
  const named = host === "" || host === "docker.io" ? identifier : `${host}/${identifier}`;
  const last = identifier.split("/").at(-1) ?? "";
  return /[@:]/.test(last) || !version ? named : `${named}:${version}`;
}

interface RuntimeArguments {
  readonly variables: readonly NamedInput[];
  readonly from: string | undefined;
  readonly extra: readonly string[];
  readonly base: string | undefined;
}

/** What the arguments of the container's runtime or the package manager say; a text for one without which it would not run. */
function readRuntimeArguments(kind: string, inputs: readonly ServerArgument[]): RuntimeArguments | string {
  const variables: NamedInput[] = [];
  const extra: string[] = [];
  let from: string | undefined;
  let base: string | undefined;
  for (const input of inputs) {
    const word = input.type === "named" ? (input.name ?? "") : String(input.value ?? "");
    if (IGNORED_ARGUMENTS.has(word)) continue;
    const text = input.type === "named" && typeof input.value === "string" ? input.value : "";
    const install = text === "" ? undefined : INSTALL_ARGUMENTS[kind]?.get(word);
    const variable = VARIABLE_ARGUMENTS.has(word) ? readVariable(input) : undefined;
    if (variable) variables.push(variable);
    else if (install === "from") from = text;
    else if (install === "with") extra.push(text);
    else if (install === "python" && /^3\.[0-9]{1,2}$/.test(text)) base = `python:${text}-slim`;
    else if (input.isRequired || input.value !== undefined) {
      return `it needs the runtime's argument ${word || "(without a name)"}, which is not passed on`;
    }
  }
  return { variables, from, extra, base };
}

function readVariable({ value, variables, description, isRequired, isSecret }: ServerArgument): NamedInput | undefined {
  const [, name, text] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(String(value ?? "")) ?? [];
  if (name === undefined) return undefined;
  const only = text === undefined ? undefined : Object.values(variables ?? {})[0];
  // `-e NAME={name}` declares the variable itself.
  const own = only && /^\{[^{}]+\}$/.test(text ?? "") ? only : { value: text, variables };
  return {
    name,
    ...(description !== undefined && { description }),
    ...(isRequired !== undefined && { isRequired }),
    ...(isSecret !== undefined && { isSecret }),
    ...own,
  } as NamedInput;
}

/** Of `http://localhost:{port}/mcp`, with the values of the arguments and variables for the names in it. */
function findPort({ transport, packageArguments = [], environmentVariables = [] }: ServerPackage): number | undefined {
  const values = new Map<string, TemplateValues[string]>();
  for (const input of [...packageArguments, ...environmentVariables]) {
    const hint = "valueHint" in input ? input.valueHint : undefined;
    for (const name of [input.name, hint, input.name?.replace(/^-+/, "")]) if (name) values.set(name, input);
  }
  const url = fillTemplate(transport?.url ?? "", Object.fromEntries(values));
  const port = url !== undefined && URL.canParse(url) ? Number(new URL(url).port) : 0;
  return port > 0 ? port : undefined;
}
