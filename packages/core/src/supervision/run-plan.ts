/** What would happen if a workload were created, for `thv run --dry-run`. Values of variables are left out. */

import { type Outbound, outboundOf } from "../permissions/permission-profile.ts";
import type { ContainerMount, ResourceLimits } from "../ports/container-engine.ts";
import { mountsOf } from "../workload/mounts.ts";
import { type NetworkAccess, networkAccessOf, unenforcedRules } from "../workload/network-access.ts";
import type { RunConfig } from "../workload/run-config.ts";
import { workloadUrl } from "../workload/workload.ts";
import { limitsOf } from "./containers/container-spec.ts";
import { imageNotHere } from "./containers/workload-image.ts";

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
  /** Of its permission profile and its volumes together. */
  readonly mounts: readonly ContainerMount[];
  /** `outbound` is what its profile allows; only a `filtered` network enforces it. */
  readonly network: { readonly access: NetworkAccess; readonly outbound: Outbound };
  /** Defaults included; 0: no limit. */
  readonly limits: ResourceLimits;
  readonly isReadOnly: boolean;
  /** Who issues the tokens that callers need: an issuer or the address of its keys. Absent: callers need none. */
  readonly tokensFrom?: string;
  /** What would look enforced and not be, each a sentence. */
  readonly warnings: readonly string[];
}

export function planOf(
  draft: Omit<RunConfig, "port">,
  { proxyPort, isImageThere }: { proxyPort: number | undefined; isImageThere: boolean },
): RunPlan {
  const { name, image, package_target, cmd_args, transport, env_vars, secrets = [], container_labels = {} } = draft;
  const tokensFrom = draft.oidc_config?.Issuer ?? draft.oidc_config?.JWKSURL;
  return {
    name,
    image,
    imageFrom: imageFrom(draft, isImageThere),
    ...(package_target !== undefined && { package: package_target }),
    arguments: cmd_args,
    transport,
    url: workloadUrl({ ...draft, port: proxyPort ?? 0 }),
    isPortChosen: proxyPort !== undefined,
    variables: Object.keys(env_vars),
    secrets,
    labels: container_labels,
    mounts: mountsOf(draft),
    network: { access: networkAccessOf(draft), outbound: outboundOf(draft.permission_profile) },
    limits: limitsOf(draft),
    isReadOnly: draft.read_only ?? false,
    ...(tokensFrom !== undefined && { tokensFrom }),
    warnings: [unenforcedRules(draft) ?? []].flat(),
  };
}

/** @throws {ThvError} `IMAGE_NOT_FOUND` when it is not there and must not be pulled. */
function imageFrom(
  { image, package_target, pull_policy }: Pick<RunConfig, "image" | "package_target" | "pull_policy">,
  isThere: boolean,
): RunPlan["imageFrom"] {
  if (package_target !== undefined) return isThere ? "engine" : "build";
  if (isThere) return pull_policy === "always" ? "refresh" : "engine";
  if (pull_policy === "never") throw imageNotHere(image);
  return "pull";
}
