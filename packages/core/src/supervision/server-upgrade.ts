/** Whether the registry has another image for a workload than the one that it runs from, and the settings with that one. */
import { type ImageReference, parseImageReference } from "../images/image-reference.ts";
import type { EnvVarDeclaration, RegistryServer } from "../registry/registry-schema.ts";
import { formatSecretReference, parseSecretReference, type SecretReference } from "../secrets/secret-reference.ts";
import { ThvError } from "../support/errors.ts";
import { createRequestError, listRequestProblems, parseEnvVars } from "../workload/create-request.ts";
import type { RunConfig } from "../workload/run-config.ts";

export interface UpgradeCheck {
  readonly name: string;
  readonly image: string;
  readonly isAvailable: boolean;
  /** Name of the registry entry; absent when none has its image. */
  readonly server?: string;
  /** What it would run from. */
  readonly newImage?: string;
  /** Variables that the entry lists and the workload does not set. */
  readonly newVariables: readonly EnvVarDeclaration[];
  /** Why there is no upgrade. */
  readonly reason?: string;
}

/** What the caller adds; it goes before what the workload has. */
export interface UpgradeRequest {
  /** `NAME=value` each, as in a request to create. */
  readonly env: readonly string[];
  readonly secrets: readonly SecretReference[];
}

export function checkUpgrade(config: RunConfig, server: RegistryServer | undefined): UpgradeCheck {
  const { name, image, package_target, registry_source: origin, env_vars, secrets = [] } = config;
  const none = (reason: string) => ({ name, image, isAvailable: false, newVariables: [], reason });
  if (config.remote_url !== undefined) return none("it runs elsewhere, and has no image");
  if (package_target !== undefined) return none(`it is built from ${package_target}, which the registry does not list`);
  if (!server && origin)
    return none(
      `the registry source "${origin.name}" has no server with this image, or is not at ${origin.location} any more`,
    );
  if (!server) return none("the registry has no server with this image");
  const entry = { server: server.name };
  if (server.image === image) return { ...none("it runs from the image that the registry lists"), ...entry };
  if (isNewer(parseImageReference(image), parseImageReference(server.image)))
    return { ...none(`it is newer than ${server.image}, which the registry lists`), ...entry };
  const given = new Set([
    ...Object.keys(env_vars),
    ...secrets.map((reference) => parseSecretReference(reference).target),
  ]);
  const newVariables = (server.env_vars ?? []).filter((declared) => !given.has(declared.name));
  return { name, image, isAvailable: true, ...entry, newImage: server.image, newVariables };
}

/** @throws {ThvError} `INVALID_ARGUMENT` with everything that is wrong. */
export function assertUpgradeRequest({ env, secrets }: UpgradeRequest): void {
  const problems = listRequestProblems({ env_vars: [...env], secrets: [...secrets] });
  if (problems.length > 0) throw createRequestError(problems);
}

/**
 * The settings with the registry's image. Everything that the user has chosen stays.
 *
 * @throws {ThvError} `INVALID_ARGUMENT` naming every variable without which the new server cannot start.
 */
export function buildUpgradedConfig(
  config: RunConfig,
  server: RegistryServer,
  { env: items, secrets }: UpgradeRequest,
): RunConfig {
  const env = parseEnvVars(items);
  const given = new Set([...Object.keys(env), ...secrets.map(({ target }) => target)]);
  const open = checkUpgrade(config, server).newVariables.filter(({ name }) => !given.has(name));
  const missing = open.filter(({ required }) => required);
  if (missing.length > 0) {
    const names = missing.map(({ name, description }) => `${name} (${description.replace(/\.$/, "")})`).join(" and ");
    throw new ThvError("INVALID_ARGUMENT", `the new version of "${config.name}" cannot start without ${names}`, {
      hint: "Give each of them as a variable or as a secret.",
    });
  }
  const kept = Object.entries(config.env_vars).filter(([name]) => !given.has(name));
  const defaults = open.flatMap(({ name, default: value }) => (value ? [[name, value] as const] : []));
  const references = [
    ...(config.secrets ?? []).filter((reference) => !given.has(parseSecretReference(reference).target)),
    ...secrets.map(formatSecretReference),
  ];
  const { provenance: _before, secrets: _references, ...same } = config;
  return {
    ...same,
    image: server.image,
    env_vars: Object.fromEntries([...kept, ...defaults, ...Object.entries(env)]),
    ...(references.length > 0 && { secrets: references }),
    ...(server.provenance && { provenance: structuredClone(server.provenance) }),
  };
}

/** Only where both tags are versions; otherwise the registry is believed. */
function isNewer(present: ImageReference, listed: ImageReference): boolean {
  const [one, other] = [readVersion(present), readVersion(listed)];
  if (!one || !other) return false;
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0);
}

function readVersion({ tag = "" }: ImageReference): number[] | undefined {
  const match = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?$/.exec(tag);
  return match?.slice(1).map((part) => Number(part ?? 0));
}
