/** The network of a server in a sentence. */
import type { OperationAnswer } from "../../api/client.ts";
import { t } from "../../words/messages.ts";

type Network = OperationAnswer<"planWorkload">["plan"]["network"];

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

export function describeNetwork({ access, outbound: { allow_all: isAll, hosts, ports } }: Network): string {
  if (access === "open") return t("network.open");
  if (access === "none") return t("network.closed");
  if (isAll) return t("network.all", { ports: describePorts(ports) });
  if (hosts.length === 0) return t("network.nothing");
  return t("network.hosts", { hosts: LIST.format(hosts), ports: describePorts(ports) });
}

function describePorts(ports: readonly number[]): string {
  if (ports.length === 0) return t("network.anyPort");
  if (ports.length === 1) return t("network.port", { port: ports[0] ?? "" });
  return t("network.ports", { ports: LIST.format(ports.map(String)) });
}
