import { t } from "../../words/messages.ts";
import type { Change } from "./changes.ts";

/** What saving would change, each setting with its value now and then. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="quiet">{t("edit.unchanged")}</p>;
  return (
    <table className="table changes">
      <caption>{t("edit.changes")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("edit.member")}</th>
          <th scope="col">{t("edit.before")}</th>
          <th scope="col">{t("edit.after")}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ member, before, after }) => (
          <tr key={member}>
            <th scope="row">
              <code>{member}</code>
            </th>
            <td className="changes__before">{before ?? t("edit.none")}</td>
            <td className="changes__after">{after ?? t("edit.none")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
