import { formatSettingValue, nameSetting, type SettingChange } from "@toolhive/core/setting-changes";
import { type MessageKey, t } from "../../words/messages.ts";

interface ChangeListProps {
  readonly changes: readonly SettingChange[];
  readonly caption: string;
}

/** Settings with their values now and then, called as in the form. Values that may be secret are not shown. */
export function ChangeList({ changes, caption }: ChangeListProps) {
  if (changes.length === 0) return <p className="quiet">{t("edit.unchanged")}</p>;
  return (
    <table className="table changes">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{t("edit.member")}</th>
          <th scope="col">{t("edit.before")}</th>
          <th scope="col">{t("edit.after")}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ member, kind, before, after }) => (
          <tr key={member}>
            <th scope="row">
              <SettingName member={member} />
            </th>
            <td className="changes__before">
              {formatSettingValue(member, before) ?? t(kind === "added" ? "edit.none" : "edit.hidden")}
            </td>
            <td className="changes__after">{formatSettingValue(member, after) ?? t(AFTER[kind])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SettingName({ member }: { readonly member: string }) {
  const name = nameChange(member);
  return "label" in name ? name.label : <code>{name.code}</code>;
}

/** What stands in the place of a value that is not shown. */
const AFTER = { added: "edit.hidden", changed: "edit.hiddenOther", removed: "edit.none" } as const;

/** What the form of settings calls each setting for which it has a field. */
const LABELS: ReadonlyMap<string, MessageKey> = new Map<string, MessageKey>([
  ["image", "edit.image"],
  ["transport", "add.transport"],
  ["target_port", "add.port"],
  ["cmd_arguments", "add.arguments"],
  ["env_vars", "add.variables"],
  ["secrets", "add.secrets"],
  ["volumes", "add.folders"],
  ["sleep_after_seconds", "add.sleep"],
  ["oidc.issuer", "access.issuer"],
  ["oidc.audience", "access.audience"],
  ["authz_config", "access.policies"],
  ["enable_audit", "access.audit"],
]);

/**
 * @param member As in a `SettingChange`: one of several variables, secrets or folders has its name behind a dot.
 * @returns The form's label, or as `code` what a project file calls a setting for which the form has no field.
 */
export function nameChange(member: string): { readonly label: string } | { readonly code: string } {
  const dot = member.indexOf(".");
  const whole = LABELS.get(member);
  if (whole !== undefined) return { label: t(whole) };
  const first = dot < 0 ? undefined : LABELS.get(member.slice(0, dot));
  return first === undefined ? { code: nameSetting(member) } : { label: `${t(first)}: ${member.slice(dot + 1)}` };
}
