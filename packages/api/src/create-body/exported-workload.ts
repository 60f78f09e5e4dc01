/**
 * A workload as a file that starts the same one again, here or elsewhere. It is a create request, so that the API takes it
 * too. Secrets are in it by name only.
 */
import { listProblems, type RunConfig, ThvError } from "@toolhive/core";
import { Type } from "typebox";
import { accessBody } from "../contract/access-schemas.ts";
import { type CreateWorkloadBody, CreateWorkloadSchema } from "../contract/workload-schemas.ts";

/** A member that is not known may be one that limits what the server may do: leaving it out would be dangerous. */
const FileSchema = Type.Object(CreateWorkloadSchema.properties, { additionalProperties: false });

export function createBodyOf(config: RunConfig): CreateWorkloadBody {
  const { name, image, package_target, ca_certificate, cmd_args, transport, proxy_mode, host, port, ...more } = config;
  const {
    allowed_hosts,
    target_port,
    target_host,
    env_vars,
    secrets = [],
    container_labels,
    limits,
    read_only,
    ...others
  } = more;
  const {
    pull_policy,
    permission_profile,
    isolate_network,
    volumes,
    image_verification,
    provenance,
    oidc_config,
    ...granted
  } = others;
  const { authz_config, authz_config_path, audit_config, audit_config_path, telemetry_config, ...rest } = granted;
  // What belongs to this machine and this moment.
  const { container_name, base_name, desired_state, created_at, ...unknown } = rest;
  // A member that is added to run configurations fails to compile here, until it is exported or left out on purpose.
  void (unknown satisfies Record<string, never>);
  return {
    name,
    image: package_target ?? image,
    ...(ca_certificate !== undefined && { ca_certificate }),
    host,
    ...(allowed_hosts !== undefined && { allowed_hosts }),
    proxy_port: port,
    transport,
    ...(target_port !== undefined && { target_port }),
    ...(target_host !== undefined && { target_host }),
    proxy_mode,
    cmd_arguments: cmd_args,
    env_vars: Object.entries(env_vars).map(([key, value]) => `${key}=${value}`),
    secrets: secrets.map(secretOf),
    ...(container_labels && { labels: container_labels }),
    ...(permission_profile && { permission_profile }),
    ...(isolate_network !== undefined && { network_isolation: isolate_network }),
    ...(volumes && { volumes }),
    ...(limits && { limits }),
    ...(read_only !== undefined && { read_only }),
    ...(pull_policy && { pull_policy }),
    ...(image_verification && { image_verification }),
    ...(provenance && { provenance }),
    ...accessBody(config),
  };
}

/** @throws {ThvError} `INVALID_ARGUMENT` with every problem; values are not repeated. */
export function parseExported(text: string, path: string): CreateWorkloadBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the text, which may hold a secret.
    throw invalid(path, ["it is not JSON"], error);
  }
  const problems = listProblems(FileSchema, value);
  if (problems.length > 0) throw invalid(path, problems);
  return value as CreateWorkloadBody;
}

/** A reference as it is kept: `<name>,target=<variable>`. */
function secretOf(reference: string): { name: string; target: string } {
  const [, name = "", target = ""] = /^(.*),target=(.*)$/s.exec(reference) ?? [];
  return { name, target };
}

function invalid(path: string, problems: readonly string[], cause?: unknown): ThvError {
  return new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${problems.join("; ")}.`, {
    hint: "Write one from a workload that runs: thv export NAME",
    cause,
  });
}
