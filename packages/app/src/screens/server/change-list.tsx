import { formatSettingValue, type SettingChange } from "@toolhive/core/setting-changes";
import { t } from "../../words/messages.ts";
import { nameChange } from "./name-change.ts";

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
