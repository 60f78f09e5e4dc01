import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import type { Group } from "../../store/group-places.ts";
import { useGroups } from "../../store/groups.ts";
import { t } from "../../words/messages.ts";
import { Fact } from "../plan/fact.tsx";
import { SaveSet } from "../sets/save-set.tsx";
import { GroupClients } from "./group-clients.tsx";
import { GroupTools } from "./group-tools.tsx";
import { isDefault, listTroubles } from "./group-words.ts";
import { GroupWarnings, TroubleList } from "./groups.tsx";
import { Members } from "./members.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";

export function GroupScreen() {
  const { name } = useParams({ from: "/groups/$name" });
  const listed = useGroups({ isWatched: true });
  const group = listed.data?.find((each) => each.name === name);
  if (group !== undefined) return <GroupView key={name} group={group} />;
  return (
    <>
      <PageHead title={listed.data === undefined ? name : t("groups.missingGroup", { name })} />
      {listed.error !== null && <ProblemView problem={toProblem(listed.error)} onRetry={() => void listed.refetch()} />}
      <Link to="/groups">{t("groups.back")}</Link>
    </>
  );
}

function GroupView({ group }: { readonly group: Group }) {
  const { name, url, naming } = group;
  const navigate = useNavigate();
  const [isRemoving, setRemoving] = useState(false);
  const [isSaving, setSaving] = useState(false);
  return (
    <>
      <PageHead title={name}>
        <Button aria-haspopup="dialog" onClick={() => setSaving(true)}>
          {t("set.saveGroup")}
        </Button>
        <Link to="/share-set" search={{ group: name }} className="button button--plain">
          {t("share.button")}
        </Link>
        {!isDefault(group) && (
          <Button look="danger" aria-haspopup="dialog" onClick={() => setRemoving(true)}>
            {t("groups.remove")}
          </Button>
        )}
      </PageHead>
      {isSaving && <SaveSet group={name} onClose={() => setSaving(false)} />}
      {url === undefined ? (
        <p className="lead">{t("groups.default")}</p>
      ) : (
        <div className="server__line">
          <code>{url}</code>
          <CopyButton text={url} label={t("action.copyAddress")} />
        </div>
      )}
      <div className="panels">
        <Members group={group} />
        <section className="panel">
          {url !== undefined && (
            <>
              <h2>{t(listTroubles(group).length === 0 ? "servers.status" : "groups.missing")}</h2>
              {listTroubles(group).length === 0 ? (
                <p className="quiet">{t(group.workloads.length === 0 ? "groups.noServers" : "groups.whole")}</p>
              ) : (
                <TroubleList group={group} />
              )}
              <GroupWarnings group={group} />
              <h2>{t("servers.address")}</h2>
              <p>{t("groups.addressHint")}</p>
              <dl className="facts">
                {naming !== undefined && (
                  <Fact term={t("groups.naming")}>
                    {t(`groups.naming.${naming}`)} (<code>{naming}</code>)
                  </Fact>
                )}
              </dl>
            </>
          )}
          <GroupClients group={group} />
        </section>
        {url !== undefined && <GroupTools group={group} />}
      </div>
      <p>
        <Link to="/" search={{ group: name }}>
          {t("groups.showServers")}
        </Link>
      </p>
      <CommandLine command={`thv list --all --group ${name}`} />
      {isRemoving && (
        <RemoveDialog
          name={name}
          onClose={(isRemoved) => {
            setRemoving(false);
            if (isRemoved) void navigate({ to: "/groups" });
          }}
        />
      )}
    </>
  );
}
