import { formatSettingValue, nameSetting, type SettingChange } from "@toolhive/core/setting-changes";
import { hasLabel, nameMember } from "../../words/member-labels.ts";
import { t } from "../../words/messages.ts";

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

/**
 * @param member As in a `SettingChange`: one of several variables, secrets or folders has its name behind a dot.
 * @returns The form's label, or as `code` what a project file calls a setting for which the form has no field.
 */
export function nameChange(member: string): { readonly label: string } | { readonly code: string } {
  const dot = member.indexOf(".");
  if (hasLabel(member)) return { label: nameMember(member) };
  const first = member.slice(0, Math.max(0, dot));
  return hasLabel(first) ? { label: `${nameMember(first)}: ${member.slice(dot + 1)}` } : { code: nameSetting(member) };
}
