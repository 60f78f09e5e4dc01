/** What the API would say about a request, in the words of whoever wrote flags. */
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { RunInput } from "./definition.ts";
import type { RequestBody } from "./request-body.ts";

/** What the sentences of the API begin with, up to a space, by the flag that says it. Longer ones come first. */
const FLAGS: readonly (readonly [begin: RegExp, flag: string])[] = [
  [/^(?:limits\.cpus|CPU limit)/, "--cpus"],
  [/^(?:limits\.memory_bytes|memory limit)/, "--memory"],
  [/^(?:limits\.pids|process limit)/, "--pids-limit"],
  [/^(?:invalid workload name:|name)/, "--name"],
  [/^(?:target_port|target port)/, "--target-port"],
  [/^(?:target_host|target host)/, "--target-host"],
  [/^(?:proxy_port|proxy port)/, "--proxy-port"],
  [/^(?:proxy_mode)/, "--proxy-mode"],
  [/^allowed_hosts(?:\[\d+\])?/, "--allowed-host"],
  [/^env_vars(?:\[\d+\])?|^environment variable/, "--env"],
  [/^secrets(?:\[\d+\]\.?(?:name|target)?)?|^secret/, "--secret"],
  [/^volumes(?:\[\d+\])?/, "--volume"],
  [/^oidc\.allow_opaque_tokens/, "--oidc-skip-opaque-token-validation"],
  [/^oidc\.([a-z_]+)/, "--oidc-$1"],
  [/^telemetry\.prometheus_path/, "--otel-enable-prometheus-metrics-path"],
  [/^telemetry\.([a-z_]+)/, "--otel-$1"],
  [/^(host|transport|user)/, "--$1"],
  [/^oauth_config\.([a-z_]+)/, "--remote-auth-$1"],
  [/^oauth_config/, "--remote-auth"],
  [/^header_forward/, "--remote-forward-headers"],
  [/^allow_insecure_http/, "--remote-allow-http"],
  [/^cmd_arguments/, "-- ARGUMENTS"],
  [/^permission_profile/, "--permission-profile"],
  [/^network_isolation/, "--isolate-network"],
  [/^limits/, "a limit (--memory, --cpus, --pids-limit)"],
  [/^read_only/, "--read-only"],
  [/^pull_policy/, "--pull"],
  [/^image_verification/, "--image-verification"],
  [/^ca_certificate/, "--ca-cert"],
];

/**
 * Everything that the API would refuse of what flags say. Loaded only when something is wrong: it brings all schemas.
 *
 * @returns One sentence each, without a full stop, beginning with the flag.
 */
export async function problemsInFlags(
  flags: Omit<RequestBody, "image"> & { readonly image?: string | undefined },
): Promise<string[]> {
  const { listCreateProblems } = await import("@toolhive/api/create-problems");
  return listCreateProblems({ ...flags, image: flags.image || "image" }).map(inFlags);
}

/** @throws {ThvError} `INVALID_ARGUMENT` for what would be refused if it were not a dry run. */
export async function assertPossible(flags: RequestBody, input: RunInput): Promise<void> {
  const problems = input.isGiven("fromConfig") ? [] : await problemsInFlags(flags);
  if (problems.length === 0) return;
  throw new ThvError("INVALID_ARGUMENT", `${problems.join("; ")}.`, { hint: "See: thv run --help" });
}

/** The error of the API again, or one that names flags, where flags are what it is about. */
export async function refusalInFlags(error: unknown, flags: RequestBody, input: RunInput): Promise<unknown> {
  const isAboutFlags = hasCode(error, "INVALID_ARGUMENT", "INVALID_WORKLOAD_NAME");
  if (!isAboutFlags || input.isGiven("fromConfig")) return error;
  const problems = await problemsInFlags(flags);
  if (problems.length === 0) return error;
  return new ThvError(error.code, `${problems.join("; ")}.`, {
    hint: error.hint ?? "See: thv run --help",
    cause: error,
  });
}

/** Mistakes in a profile are not among them: they are found, and named by its file, when the file is read. */
function inFlags(problem: string): string {
  const [begin, flag] = FLAGS.find(([pattern]) => problem[pattern.exec(problem)?.[0].length ?? -1] === " ") ?? [];
  // It is in a sentence about an address, which has no flag.
  if (!begin || flag === undefined) return problem.replace("allow_insecure_http", "--remote-allow-http");
  const named = problem.replace(begin, flag);
  // The rest of the name is the member's, which is written with dashes as a flag.
  return named.replace(/^--[a-z_-]+/, (word) => word.replaceAll("_", "-"));
}
