/** What would happen if a workload were created, for `thv run --dry-run`. Values of variables are left out. */
import { isFloating, parseImageReference } from "../image-reference.ts";
import type { RunConfig } from "../run-config.ts";
import { workloadUrl } from "../workload.ts";

export interface RunPlan {
  readonly name: string;
  readonly image: string;
  /** Where the image comes from. `refresh`: it is here, and a newer one is asked for. */
  readonly imageFrom: "engine" | "pull" | "refresh" | "build";
  /** The package that it is built from. */
  readonly package?: string;
  readonly arguments: readonly string[];
  readonly transport: RunConfig["transport"];
  /** Address for MCP clients; with port 0 as long as it is not chosen. */
  readonly url: string;
  readonly isPortChosen: boolean;
  /** Names only. */
  readonly variables: readonly string[];
  /** References, `<name>,target=<variable>`. */
  readonly secrets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** Of the server's permission profile: what it may read and write, and where it may connect to. */
  readonly permissions?: RunConfig["permission_profile"];
}

export function planOf(
  draft: Omit<RunConfig, "port">,
  { proxyPort, isImageThere }: { proxyPort: number | undefined; isImageThere: boolean },
): RunPlan {
  const { name, image, package_target, cmd_args, transport, env_vars, secrets = [], container_labels = {} } = draft;
  return {
    name,
    image,
    imageFrom: imageFrom(image, package_target, isImageThere),
    ...(package_target !== undefined && { package: package_target }),
    arguments: cmd_args,
    transport,
    url: workloadUrl({ ...draft, port: proxyPort ?? 0 }),
    isPortChosen: proxyPort !== undefined,
    variables: Object.keys(env_vars),
    secrets,
    labels: container_labels,
    ...(draft.permission_profile && { permissions: draft.permission_profile }),
  };
}

function imageFrom(image: string, target: string | undefined, isThere: boolean): RunPlan["imageFrom"] {
  if (target !== undefined) return isThere ? "engine" : "build";
  if (!isThere) return "pull";
  return isFloating(parseImageReference(image)) ? "refresh" : "engine";
}
