/** `thv operator` */
import { BRAND } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { ClusterError } from "@toolhive/operator/cluster";
import { parseBindAddress, runOperator } from "@toolhive/operator/program";
import type { CommandHandler } from "../../command-line/command.ts";
import { versionInfo } from "../../command-line/version-info.ts";
import { createJsonLog } from "../../supervisor/log.ts";
import type { OPERATOR } from "./definition.ts";

export const operate: CommandHandler<typeof OPERATOR> = async (input, { env, signal }) => {
  const { version } = versionInfo();
  const log = createJsonLog();
  try {
    await runOperator({
      metricsAddress: parseBindAddress(input.metricsBindAddress, "--metrics-bind-address"),
      probeAddress: parseBindAddress(input.healthProbeBindAddress, "--health-probe-bind-address"),
      electsLeader: input.leaderElect,
      env,
      defaultImage: `${BRAND.packages.image}:${version.replace(/^v/, "")}`,
      log,
      signal,
    });
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    throw new ThvError("CONFIG_INVALID", `The operator cannot work with the cluster: ${error.message}`, {
      hint: "Run it in a pod whose service account has the rights of its chart, or set KUBECONFIG.",
      cause: error,
    });
  }
};
