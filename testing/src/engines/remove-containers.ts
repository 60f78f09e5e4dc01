/** Removes containers with all they hold: first those that share another one's network, which engines do not remove before. */
import { getJson, requestEngine } from "./engine-api.ts";

interface Listed {
  readonly Id: string;
  readonly Labels: Readonly<Record<string, string>> | null;
}

/** @param isChosen By the labels. Default: every container. */
export async function removeContainers(
  host: string,
  isChosen: (labels: Readonly<Record<string, string>>) => boolean = () => true,
): Promise<void> {
  const all = await getJson<Listed[]>(host, "/containers/json?all=1");
  const chosen = all.filter(({ Labels }) => isChosen(Labels ?? {}));
  // Podman's list does not show whose network is shared, and a sidecar is the only one that others join.
  const isShared = ({ Labels }: Listed) => Labels?.["toolhive-auxiliary-workload"] === "true";
  for (const containers of [chosen.filter((each) => !isShared(each)), chosen.filter(isShared)]) {
    await Promise.all(containers.map(({ Id }) => requestEngine(host, "DELETE", `/containers/${Id}?force=1&v=1`)));
  }
}
