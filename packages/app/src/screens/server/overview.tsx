import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { call } from "../../api/client.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Moment } from "../../parts/moment.tsx";
import { DEFAULT_GROUP, indexByServer } from "../../store/group-places.ts";
import { useGroups } from "../../store/groups.ts";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { GroupChips } from "../groups/group-chips.tsx";
import { Fact } from "../plan/fact.tsx";
import { UsagePanel } from "../usage/usage-panel.tsx";
import { useDetails } from "./details.ts";
import { Upgrade } from "./upgrade.tsx";

const SignInPanel = lazy(async () => ({ default: (await import("../sign-in/sign-in-panel.tsx")).SignInPanel }));

export function Overview({ workload }: { readonly workload: Workload }) {
  const {
    name,
    status,
    package: source,
    transport_type: transport,
    created_at: created,
    labels = {},
    warnings = [],
    remote: isRemote = false,
  } = workload;
  const details = useDetails(name, `${created} ${status}`);
  const known = useQuery({ queryKey: ["clients"], queryFn: () => call("discoverClients") });
  const findTitle = (id: string) => known.data?.clients.find(({ client_type: type }) => type === id)?.title ?? id;
  const groups = useGroups();
  // One that is in no other group is in default.
  const groupNames = groups.data && (indexByServer(groups.data).get(name) ?? [DEFAULT_GROUP]);
  const { started_at: started, plan, clients = [] } = details.data ?? {};
  const holders = clients.map(({ name: id, group }) => findTitle(id) + (group === undefined ? "" : ` (${group})`));
  return (
    <div className="panels">
      {!isRemote && <Upgrade name={name} />}
      {warnings.length > 0 && (
        <section className="panel panel--wide">
          <h2>{t("server.warnings")}</h2>
          <ul>
            {warnings.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </section>
      )}
      {isRemote && (
        <Suspense>
          <SignInPanel workload={workload} />
        </Suspense>
      )}
      <UsagePanel name={name} />
      <section className="panel panel--wide">
        <dl className="facts">
          <Fact term={t(isRemote ? "plan.remote" : "server.package")}>
            <code>{source}</code>
          </Fact>
          <Fact term={t("servers.transport")}>{transport}</Fact>
          {started !== undefined && status === "running" && (
            <Fact term={t("server.started")}>
              <Moment at={started} />
            </Fact>
          )}
          <Fact term={t("server.created")}>
            <Moment at={created} />
          </Fact>
          {plan !== undefined && !isRemote && <Fact term={t("network.reach")}>{plan.network.reach}</Fact>}
          <Fact term={t("server.clients")}>
            {holders.length > 0
              ? t("server.connectedClients", { clients: holders.join(", ") })
              : t("server.connectHint")}{" "}
            <Link to="/clients">{t("server.connectOpen")}</Link>
          </Fact>
          {groupNames !== undefined && (
            <Fact term={t("server.groups")}>
              <GroupChips groups={groupNames} />
            </Fact>
          )}
          {Object.keys(labels).length > 0 && (
            <Fact term={t("server.labels")}>
              {Object.entries(labels).map(([key, value]) => (
                <code key={key} className="chip">
                  {key}={value}
                </code>
              ))}
            </Fact>
          )}
        </dl>
        <CommandLine command={`thv status ${name}`} />
      </section>
    </div>
  );
}
