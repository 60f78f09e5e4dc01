import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { useClientTitles } from "../../store/client-titles.ts";
import type { Group, GroupMember } from "../../store/group-places.ts";
import { useGroups } from "../../store/groups.ts";
import { t } from "../../words/messages.ts";
import { Fact } from "../plan/fact.tsx";
import { SaveSet } from "../sets/save-set.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { countReady, countTools, isDefault, listTroubles } from "./group-words.ts";
import { MemberMark } from "./member-mark.tsx";
import { canTake } from "./move.ts";
import { MoveDialog } from "./move-dialog.tsx";
import { Moved, type Moving, useMoving } from "./moving.tsx";

export function Groups() {
  const listed = useGroups({ isWatched: true });
  const [isAdding, setAdding] = useState(false);
  const groups = listed.data;
  const [isSaving, setSaving] = useState(false);
  const moving = useMoving();
  const actions = (
    <>
      <Link to="/open-set" className="button button--plain">
        {t("set.open")}
      </Link>
      <Button aria-haspopup="dialog" onClick={() => setSaving(true)}>
        {t("set.saveAll")}
      </Button>
      <Link to="/share-set" className="button button--plain">
        {t("share.button")}
      </Link>
      <Button look="primary" aria-haspopup="dialog" onClick={() => setAdding(true)}>
        {t("groups.add")}
      </Button>
    </>
  );
  return (
    <>
      <PageHead title={t("groups.title")}>{actions}</PageHead>
      <p className="lead">{t("groups.intro")}</p>
      {listed.error !== null && <ProblemView problem={toProblem(listed.error)} onRetry={() => void listed.refetch()} />}
      {groups === undefined && listed.error === null && <p className="quiet">{t("app.loading")}</p>}
      {groups?.every(isDefault) === true && <EmptyState title={t("groups.empty")} text={t("groups.emptyText")} />}
      <Moved moving={moving} />
      {groups !== undefined && (
        <div className="panels">
          {groups
            // The default group is last.
            .toSorted((left, right) => Number(isDefault(left)) - Number(isDefault(right)))
            .map((group) => (
              <GroupPanel key={group.name} group={group} moving={moving} />
            ))}
        </div>
      )}
      <CommandLine command="thv group list" />
      {moving.asked && groups !== undefined && <MoveDialog {...moving.asked} groups={groups} onClose={moving.close} />}
      {isSaving && <SaveSet onClose={() => setSaving(false)} />}
      {isAdding && <CreateDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function GroupPanel({ group, moving }: { readonly group: Group; readonly moving: Moving }) {
  const { name, url, workloads, registered_clients: clients } = group;
  const troubles = listTroubles(group);
  const nameClient = useClientTitles();
  return (
    <section
      className={canTake(group, moving.dragged) ? "panel panel--target" : "panel"}
      aria-label={name}
      onDragOver={(event) => {
        if (canTake(group, moving.dragged)) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        if (moving.dragged !== undefined && canTake(group, moving.dragged)) moving.ask({ ...moving.dragged, to: name });
      }}
    >
      <h2>
        <Link to="/groups/$name" params={{ name }}>
          {name}
        </Link>
      </h2>
      {url === undefined ? (
        <p className="quiet">{t("groups.default")}</p>
      ) : (
        <>
          <div className="server__line">
            <code>{url}</code>
            <CopyButton text={url} label={`${t("action.copyAddress")}: ${name}`} />
          </div>
          {workloads.length > 0 && (
            <p className="quiet">
              {t("groups.count", { ready: countReady(group), total: workloads.length, tools: countTools(group) })}
            </p>
          )}
        </>
      )}
      {workloads.length === 0 ? (
        <p>{t("groups.noServers")}</p>
      ) : (
        <ul className="members">
          {workloads.map((member) => (
            <MemberItem key={member.name} member={member} from={name} moving={moving} />
          ))}
        </ul>
      )}
      {troubles.length > 0 && (
        <div>
          <h3>{t("groups.missing")}</h3>
          <TroubleList group={group} />
        </div>
      )}
      <GroupWarnings group={group} />
      <dl className="facts">
        {group.naming !== undefined && (
          <Fact term={t("groups.naming")}>
            {t(`groups.naming.${group.naming}`)} (<code>{group.naming}</code>)
          </Fact>
        )}
        {clients.length > 0 && <Fact term={t("groups.clients")}>{clients.map(nameClient).join(", ")}</Fact>}
      </dl>
    </section>
  );
}

interface MemberItemProps {
  readonly member: GroupMember;
  readonly from: string;
  readonly moving: Moving;
}

/** A server that can be dragged onto another group, or moved there by its button. */
function MemberItem({ member, from, moving }: MemberItemProps) {
  return (
    <li
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData("text/plain", member.name);
        moving.drag({ server: member.name, from });
      }}
      onDragEnd={() => moving.drag(undefined)}
    >
      <MemberMark member={member} />
      <Link to="/servers/$name" params={{ name: member.name }} draggable={false}>
        {member.name}
      </Link>
      <Button
        look="quiet"
        aria-haspopup="dialog"
        aria-label={t("move.button", { name: member.name, group: from })}
        onClick={() => moving.ask({ server: member.name, from })}
      >
        {t("move.short")}
      </Button>
    </li>
  );
}

/** What its user must know: servers of which clients see no tool, and names that mislead. */
export function GroupWarnings({ group: { warnings = [] } }: { readonly group: Group }) {
  if (warnings.length === 0) return null;
  return (
    <ul className="plan__warnings">
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
}

/** What clients of the group do not find at its address, with the reason of each. */
export function TroubleList({ group }: { readonly group: Group }) {
  return (
    <ul>
      {listTroubles(group).map(({ server, state, reason }) => (
        <li key={server ?? ""}>
          {server === undefined ? (
            t("groups.noAddress", { problem: reason })
          ) : (
            <>
              <strong>{server}</strong>: {reason === "" ? t(`groups.state.${state}`) : reason}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
