/** Where traces and metrics of calls go (api-behaviour 10.7 and 11.4). Member names are the reference's. */
import { isLoopback } from "@toolhive/http";
import * as Type from "typebox";
import { ThvError } from "../support/errors.ts";
import { type LocatedProblem, listSentences } from "../support/located-problem.ts";
import type { AccessMembers } from "./access-request-schema.ts";

export const TelemetryConfigSchema = Type.Object({
  /** Address of an OTLP/HTTP receiver, with its scheme. */
  Endpoint: Type.Optional(Type.String()),
  ServiceName: Type.Optional(Type.String()),
  /** Share of calls that are traced, 0–1. */
  SamplingRate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  Headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  EnablePrometheusMetricsPath: Type.Optional(Type.Boolean()),
  /** Names of environment variables of this machine whose values are added to traces. */
  EnvironmentVariables: Type.Optional(Type.Array(Type.String())),
});
export type TelemetryConfig = Readonly<Type.Static<typeof TelemetryConfigSchema>>;

export const DEFAULT_SERVICE_NAME = "toolhive-mcp-proxy";
export const DEFAULT_SAMPLING_RATE = 0.1;

/** The settings' defaults, for members that a request leaves out. */
export interface TelemetryDefaults {
  readonly endpoint: string;
  readonly "sampling-rate"?: number | undefined;
  readonly "env-vars": readonly string[];
  readonly insecure?: boolean | undefined;
}

/**
 * @returns `undefined` when neither traces nor metrics are configured. @throws {ThvError} `INVALID_ARGUMENT` with every
 * problem.
 */
export function resolveTelemetry(
  request: NonNullable<AccessMembers["telemetry"]>,
  defaults: TelemetryDefaults | undefined,
): TelemetryConfig | undefined {
  const endpoint = request.endpoint || defaults?.endpoint;
  if (!endpoint && !request.prometheus_path) return undefined;
  const problems: LocatedProblem[] = [];
  const add = (member: string, sentence: string) => problems.push({ path: ["telemetry", member], sentence });
  const samplingRate = request.sampling_rate ?? defaults?.["sampling-rate"];
  if (samplingRate !== undefined && !(samplingRate >= 0 && samplingRate <= 1)) {
    add("sampling_rate", `the sampling rate ${samplingRate} is not between 0 and 1`);
  }
  const headers = (request.headers ?? []).map((text) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)=([\t\x20-\x7e]*)$/.exec(text) ?? [];
    // The value may be a key of the receiver: it is not repeated.
    if (name === undefined) add("headers", `a header of the telemetry endpoint is not NAME=VALUE`);
    return [name ?? "", value ?? ""] as const;
  });
  const envVars = (request.env_vars?.length ? request.env_vars : (defaults?.["env-vars"] ?? []))
    .flatMap((names) => names.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const url = endpoint
    ? parseEndpoint(endpoint, request.insecure ?? defaults?.insecure, (sentence) => add("endpoint", sentence))
    : undefined;
  if (problems.length > 0) throw new ThvError("INVALID_ARGUMENT", listSentences(problems).join("; "), { problems });
  return {
    ...(url !== undefined && { Endpoint: url }),
    ...(request.service_name && { ServiceName: request.service_name }),
    ...(samplingRate !== undefined && { SamplingRate: samplingRate }),
    ...(headers.length > 0 && { Headers: Object.fromEntries(headers) }),
    ...(request.prometheus_path && { EnablePrometheusMetricsPath: true }),
    ...(envVars.length > 0 && { EnvironmentVariables: envVars }),
  };
}

/** Characters of an endpoint; servers accept no longer addresses. */
const MAX_ENDPOINT_LENGTH = 2_048;

function parseEndpoint(text: string, insecure: boolean | undefined, report: (sentence: string) => void): string {
  if (text.length > MAX_ENDPOINT_LENGTH) {
    report(`the telemetry endpoint is longer than ${MAX_ENDPOINT_LENGTH} characters`);
    return "";
  }
  const plainUrl = `http://${text}`;
  // A collector on this machine rarely has TLS, and no network lies in between.
  const isPlain = insecure ?? (URL.canParse(plainUrl) && isLoopback(new URL(plainUrl).hostname));
  const withScheme = /^https?:\/\//.test(text) ? text : `${isPlain ? "http" : "https"}://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (url === undefined || [url.username, url.password, url.search].some((part) => part !== "")) {
    report("the telemetry endpoint is not HOST:PORT or an address without credentials and query");
  }
  return removeEndSlashes(withScheme);
}

/** A regular expression would start again at every slash of a long row of them. */
function removeEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end--;
  return text.slice(0, end);
}
