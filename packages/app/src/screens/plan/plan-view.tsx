/** What adding a server would do: pulled, opened, written. Nothing has been done yet. */
import { listPlanFacts, type PlanFact, type PlanFactKind } from "@toolhive/core/plan-facts";
import type { OperationAnswer } from "../../api/client.ts";
import { MEMBER_LABELS } from "../../words/member-labels.ts";
import { type MessageKey, t } from "../../words/messages.ts";
import { FileChangeView } from "../clients/file-change.tsx";
import { Fact } from "./fact.tsx";

type Plan = OperationAnswer<"planWorkload">["plan"];

interface PlanViewProps {
  readonly plan: OperationAnswer<"planWorkload">;
  /** Of the server, where a page shows several plans. */
  readonly name?: string;
}

export function PlanView({ plan: { plan, files }, name }: PlanViewProps) {
  const { warnings } = plan;
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
        {listPlanFacts(plan).map((fact) => (
          <Fact key={fact.kind} term={t(TERMS[fact.kind])}>
            <PlanValues fact={fact} plan={plan} />
          </Fact>
        ))}
      </dl>
      {files.length > 0 && <h3>{t("plan.files")}</h3>}
      {files.map((file) => (
        <FileChangeView key={file.path} change={file} />
      ))}
    </section>
  );
}

const TERMS: Readonly<Record<PlanFactKind, MessageKey>> = {
  image: "registry.image",
  package: "plan.package",
  address: "plan.remote",
  registry: "plan.registry",
  arguments: MEMBER_LABELS.cmd_arguments,
  transport: "servers.transport",
  url: "servers.address",
  variables: MEMBER_LABELS.env_vars,
  secret: MEMBER_LABELS.secrets,
  labels: "server.labels",
  folder: MEMBER_LABELS.volumes,
  user: "plan.user",
  network: "network.reach",
  limits: "plan.limits",
  file: "plan.usedFiles",
  sends: "plan.sends",
  off: "plan.off",
  read_only: "plan.fileSystem",
  token: "access.who",
};

/** Names, addresses and paths. */
const CODE: ReadonlySet<PlanFactKind> = new Set(["arguments", "variables", "secret", "labels", "folder"]);

function PlanValues({ fact: { kind, values }, plan }: { readonly fact: PlanFact; readonly plan: Plan }) {
  const [value = ""] = values;
  switch (kind) {
    case "image":
    case "package":
      return (
        <>
          <code>{value}</code> {plan.image_from !== "remote" && t(`plan.${plan.image_from}`)}
        </>
      );
    case "address":
      return <code>{value}</code>;
    case "url":
      return plan.port_chosen ? <code>{value}</code> : t("plan.freePort");
    case "read_only":
      return t(plan.read_only ? "plan.onlyTmp" : "plan.writable");
    case "token":
      return plan.tokens_from === undefined ? t("access.anyone") : t("access.tokens", { issuer: plan.tokens_from });
    case "limits":
      return values.join(", ");
    default:
      return values.length === 0 ? t("plan.none") : <ValueList values={values} isCode={CODE.has(kind)} />;
  }
}

function ValueList({ values, isCode }: { readonly values: readonly string[]; readonly isCode: boolean }) {
  return values.map((value) =>
    isCode ? (
      <code key={value} className="plan__item">
        {value}
      </code>
    ) : (
      <span key={value} className="plan__item">
        {value}
      </span>
    ),
  );
}
