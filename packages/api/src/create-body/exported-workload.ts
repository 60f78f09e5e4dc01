/**
 * A workload as a file that starts the same one again, here or elsewhere. It is a create request, so that the API takes it
 * too. Secrets are in it by name only.
 */
import {
  type CreateRequest,
  CreateRequestSchema,
  listProblems,
  listSentences,
  type RunConfig,
  ThvError,
} from "@toolhive/core";
import * as Type from "typebox";
import { accessBody } from "./exported-access.ts";

/** A member that is not known may be one that limits what the server may do: leaving it out would be dangerous. */
const FileSchema = Type.Object(CreateRequestSchema.properties, { additionalProperties: false });

export function toCreateRequest(config: RunConfig): CreateRequest {
  const {
    name,
    image,
    package_target,
    remote_url,
    port,
    cmd_args,
    env_vars,
    secrets = [],
    container_labels,
    ...more
  } = config;
  const { isolate_network, oidc_config, authz_config, audit_config, telemetry_config, ...others } = more;
  // What belongs to this machine and this moment.
  const { container_name, base_name, authz_config_path, audit_config_path, desired_state, created_at, ...kept } =
    others;
  const { asleep, registry_source, ...same } = kept;
  // A member that is added to run configurations alone fails to compile here, until it is exported or omitted on purpose.
  void (same satisfies { [Member in Exclude<keyof typeof same, keyof CreateRequest>]: never });
  return {
    name,
    image: remote_url ?? package_target ?? image,
    ...same,
    proxy_port: port,
    cmd_arguments: cmd_args,
    env_vars: Object.entries(env_vars).map(([key, value]) => `${key}=${value}`),
    secrets: secrets.map(parseReference),
    ...(container_labels && { labels: container_labels }),
    ...(isolate_network !== undefined && { network_isolation: isolate_network }),
    ...accessBody(config),
  };
}

/** @throws {ThvError} `INVALID_ARGUMENT` with every problem; values are not repeated. */
export function parseExported(text: string, path: string): CreateRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the text, which may hold a secret.
    throw invalid(path, ["it is not JSON"], error);
  }
  const problems = listSentences(listProblems(FileSchema, value));
  if (problems.length > 0) throw invalid(path, problems);
  return value as CreateRequest;
}

/** A reference as it is kept: `<name>,target=<variable>`. */
function parseReference(reference: string): { name: string; target: string } {
  const [, name = "", target = ""] = /^(.*),target=(.*)$/s.exec(reference) ?? [];
  return { name, target };
}

function invalid(path: string, problems: readonly string[], cause?: unknown): ThvError {
  return new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${problems.join("; ")}.`, {
    hint: "Export one from an existing server: thv export NAME",
    cause,
  });
}
