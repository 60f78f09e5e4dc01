/** What adding a server would do: pulled, opened, written. Nothing has been done yet. */
import type { OperationAnswer } from "../../api/client.ts";
import { t } from "../../words/messages.ts";
import { FileChangeView } from "../clients/file-change.tsx";
import { Fact } from "./fact.tsx";

interface PlanViewProps {
  readonly plan: OperationAnswer<"planWorkload">;
  /** Of the server, where a page shows several plans. */
  readonly name?: string;
}

export function PlanView({ plan: { plan, files }, name }: PlanViewProps) {
  const { image, image_from: from, url, port_chosen: isPortChosen, mounts, variables, secrets, user, warnings } = plan;
  const { switched_off: off } = plan;
  const isRemote = from === "remote";
  return (
    <section
      className="panel panel--wide"
      aria-label={name === undefined ? t("plan.title") : `${t("plan.title")}: ${name}`}
    >
      <h2>{t("plan.title")}</h2>
      {warnings.length > 0 && (
        <ul className="plan__warnings">
          {warnings.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      <dl className="facts">
        {isRemote ? (
          <Fact term={t("plan.remote")}>
            <code>{image}</code>
          </Fact>
        ) : (
          <Fact term={t("registry.image")}>
            <code>{image}</code> {t(`plan.${from}`)}
          </Fact>
        )}
        <Fact term={t("servers.address")}>{isPortChosen ? <code>{url}</code> : t("plan.freePort")}</Fact>
        {!isRemote && <Fact term={t("network.reach")}>{plan.network.reach}</Fact>}
        {isRemote && <Fact term={t("servers.transport")}>{plan.transport}</Fact>}
        {user !== undefined && <Fact term={t("plan.user")}>{user.description}</Fact>}
        {mounts.length > 0 && (
          <Fact term={t("add.folders")}>
            {mounts.map(({ source, target, read_only: isReadOnly, real_source: real }) => (
              <code key={target} className="plan__item">
                {source} {real !== undefined && `(${t("plan.link", { path: real })}) `}→ {target}{" "}
                {isReadOnly && t("plan.readOnly")}
              </code>
            ))}
          </Fact>
        )}
        {variables.length > 0 && <Fact term={t("add.variables")}>{variables.join(", ")}</Fact>}
        {secrets.length > 0 && <Fact term={t("add.secrets")}>{secrets.join("; ")}</Fact>}
        {off.length > 0 && <Fact term={t("plan.off")}>{off.join("; ")}</Fact>}
      </dl>
      {files.length > 0 && <h3>{t("plan.files")}</h3>}
      {files.map((file) => (
        <FileChangeView key={file.path} change={file} />
      ))}
    </section>
  );
}
