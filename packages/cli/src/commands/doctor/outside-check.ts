/** What is not thv's own: clients' files and the registry. */
import {
  ClientManager,
  ConfigFile,
  createClientSettings,
  DEFAULT_SOURCE,
  hasCode,
  type SourceState,
} from "@toolhive/core";
import { describeOwnCommand } from "../../installation/own-program.ts";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { openRegistry } from "../shared/open-registry.ts";
import { type Check, describeFailure, type Finding } from "./check.ts";

export const checkClients: Check = async ({ context: { env }, home, platform }) => {
  const { directories } = supervisorFiles(env);
  const quiet = () => undefined;
  const clients = new ClientManager({
    settings: createClientSettings(new ConfigFile(directories.config)),
    places: { home, platform },
    program: describeOwnCommand(),
    stateDirectory: directories.state,
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  });
  const findings: Finding[] = [];
  try {
    const registered = (await clients.status()).filter(({ isRegistered }) => isRegistered);
    for (const { id, isInstalled } of registered) {
      if (isInstalled) await clients.check(id).catch((error) => findings.push(describeFailure("clients", error)));
      else {
        const message = `${id} is registered and not installed`;
        findings.push({ check: "clients", status: "warn", message, fix: `Forget it: thv client remove ${id}` });
      }
    }
    if (findings.length > 0) return findings;
    const message = `${registered.length} registered, each of their files can be edited`;
    return [{ check: "clients", status: "ok", message }];
  } catch (error) {
    // Its own check reports a settings file that cannot be used.
    if (hasCode(error, "CONFIG_INVALID", "STATE_TOO_NEW")) return [];
    return [describeFailure("clients", error)];
  }
};

export const checkRegistry: Check = async ({ context }) => {
  try {
    const states = await openRegistry(context).loadAll();
    return states.map((state) => describeSource(state, states.length > 1 ? `${state.name}: ` : ""));
  } catch (error) {
    return [describeFailure("registry", error)];
  }
};

/** @param owner Names the source where there are several. */
function describeSource({ name, loaded, problem }: SourceState, owner: string): Finding {
  if (!loaded) {
    const failure = describeFailure("registry", problem);
    return owner === "" ? failure : { ...failure, message: `${owner}${failure.message}` };
  }
  const { registry, source, staleReason } = loaded;
  const count = `${owner}${registry.servers.length + registry.remoteServers.length} servers`;
  if (staleReason !== undefined) {
    const instead =
      name === DEFAULT_SOURCE
        ? "use the built-in one: thv config unset-registry-url"
        : `remove it: thv registry source remove ${name}`;
    const message = `${count} from an old copy: ${staleReason}`;
    return { check: "registry", status: "warn", message, fix: `Check the network, or ${instead}` };
  }
  const [skipped] = registry.skipped;
  if (skipped) {
    const message = `${count}; ${registry.skipped.length} entries cannot be used, for example ${skipped.name}: ${skipped.reason}`;
    return { check: "registry", status: "warn", message, fix: "See them all: thv registry list --skipped" };
  }
  return { check: "registry", status: "ok", message: `${count}, ${source.kind}` };
}
