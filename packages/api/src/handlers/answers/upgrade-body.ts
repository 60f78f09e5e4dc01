/** Whether the registry has another image for a workload: as this API says it, and as clients of the reference read it. */
import type { UpgradeCheck } from "@toolhive/core";

export function upgradeAnswer(check: UpgradeCheck) {
  return { ...upgradeBody(check), result: upgradeResult(check) };
}

export function upgradesAnswer(checks: readonly UpgradeCheck[]) {
  return { workloads: checks.map(upgradeBody), results: checks.map(upgradeResult) };
}

function upgradeBody({ isAvailable, newImage, newVariables, ...check }: UpgradeCheck) {
  return { ...check, available: isAvailable, new_image: newImage, new_variables: newVariables };
}

function upgradeResult({ name, image, isAvailable, server, newImage, newVariables, reason }: UpgradeCheck) {
  const added = newVariables.map(({ name: variable, description, required, secret, default: value }) => ({
    name: variable,
    description,
    required,
    ...(secret && { secret }),
    // A default of a secret may be one.
    ...(value !== undefined && !secret && { default: value }),
  }));
  return {
    workload_name: name,
    ...(server !== undefined && { registry_server: server }),
    status: describeStatus(isAvailable, server),
    current_image: image,
    ...(newImage !== undefined && { candidate_image: newImage }),
    ...(reason !== undefined && { reason }),
    ...(added.length > 0 && { env_var_drift: { added } }),
  };
}

function describeStatus(isAvailable: boolean, server: string | undefined) {
  if (isAvailable) return "upgrade-available" as const;
  return server === undefined ? ("not-registry-sourced" as const) : ("up-to-date" as const);
}
