import { Link } from "@tanstack/react-router";

interface GroupChipsProps {
  readonly groups: readonly string[];
  /** For screen readers, where no heading precedes it. */
  readonly label?: string;
}

/** Names of groups, each with the way to its page. */
export function GroupChips({ groups, label }: GroupChipsProps) {
  return (
    <ul className="chips" aria-label={label}>
      {groups.map((group) => (
        <li key={group}>
          <Link to="/groups/$name" params={{ name: group }} className="chip">
            {group}
          </Link>
        </li>
      ))}
    </ul>
  );
}
