/** A create request as the wire has it, and what is wrong with it. */
import {
  type CreateWorkloadRequest,
  type PartialRequest,
  PROXY_MODES,
  problemsOfRequest,
  ThvError,
  TRANSPORT_TYPES,
} from "@toolhive/core";
import { accessRequest } from "./access-schemas.ts";
import type { CreateWorkloadBody } from "./workload-schemas.ts";

/** A create request as the domain has it. @throws {ThvError} `INVALID_ARGUMENT` with everything that is wrong. */
export function createRequest(body: CreateWorkloadBody): CreateWorkloadRequest {
  const unknown = problemsOfWords(body);
  if (unknown.length > 0) throw new ThvError("INVALID_ARGUMENT", problemsOfBody(body).join("; "));
  return { ...partOf(body), image: body.image, access: accessRequest(body) };
}

/** Everything that is wrong with those members that have the right form. */
export function problemsOfBody(sound: Partial<CreateWorkloadBody>): string[] {
  return [...problemsOfWords(sound), ...problemsOfRequest(partOf(sound))];
}

function problemsOfWords({ transport, proxy_mode }: Partial<CreateWorkloadBody>): string[] {
  const unknown = (member: string, values: readonly string[], value: string | undefined) =>
    value && wordOf(values, value) === undefined
      ? [`${member} ${JSON.stringify(value.slice(0, 100))} is not one of ${values.join(", ")}`]
      : [];
  return [...unknown("transport", TRANSPORT_TYPES, transport), ...unknown("proxy_mode", PROXY_MODES, proxy_mode)];
}

/** The reference accepts the values in upper case too. */
function wordOf<T extends string>(values: readonly T[], value: string | undefined): T | undefined {
  return values.find((candidate) => candidate === value?.toLowerCase());
}

function partOf(body: Partial<CreateWorkloadBody>): PartialRequest {
  return {
    name: body.name,
    host: body.host,
    allowedHosts: body.allowed_hosts,
    proxyPort: body.proxy_port || undefined,
    targetPort: body.target_port || undefined,
    targetHost: body.target_host || undefined,
    transport: wordOf(TRANSPORT_TYPES, body.transport),
    proxyMode: wordOf(PROXY_MODES, body.proxy_mode),
    cmdArguments: body.cmd_arguments,
    envVars: body.env_vars,
    secrets: body.secrets,
    labels: body.labels,
    caCertificate: body.ca_certificate || undefined,
    permissionProfile: body.permission_profile,
    isolateNetwork: body.network_isolation,
    volumes: body.volumes,
    limits: body.limits && {
      ...(body.limits.memory_bytes !== undefined && { memoryBytes: body.limits.memory_bytes }),
      ...(body.limits.cpus !== undefined && { cpus: body.limits.cpus }),
      ...(body.limits.pids !== undefined && { pids: body.limits.pids }),
    },
    readOnly: body.read_only,
    pullPolicy: body.pull_policy,
    imageVerification: body.image_verification,
    provenance: body.provenance,
  };
}
