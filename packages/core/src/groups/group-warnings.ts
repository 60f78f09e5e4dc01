/** What the user of a group must know: servers of which clients see nothing, and names that read like another server's. */
import { quote } from "@toolhive/http/values";
import type { GroupMemberStatus, ImitatedName } from "../ports/group-endpoint.ts";

/** Names that one sentence repeats, and sentences of one kind. */
const MAX_NAMED = 5;

interface WarnedGroup {
  readonly name: string;
  /** Whether tools were chosen for it. */
  readonly isChosen: boolean;
  readonly members: readonly GroupMemberStatus[];
  readonly imitated: readonly ImitatedName[];
}

/** @returns Whole sentences, the most important first. */
export function listGroupWarnings({ name, isChosen, members, imitated }: WarnedGroup): string[] {
  const unseen = members.filter(({ tools = 0, hiddenTools = 0 }) => tools === 0 && hiddenTools > 0);
  return [
    ...(isChosen && unseen.length > 0 ? [describeUnseen(name, unseen)] : []),
    ...imitated.slice(0, MAX_NAMED).map(describeImitated),
    ...(imitated.length > MAX_NAMED
      ? [`${imitated.length - MAX_NAMED} more names begin like those of other servers.`]
      : []),
  ];
}

function describeUnseen(group: string, unseen: readonly GroupMemberStatus[]): string {
  const named = unseen.slice(0, MAX_NAMED).map((member) => member.name);
  const rest = unseen.length - named.length;
  const servers = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
  return `Clients see no tool of ${servers}, because the tools of ${group} were chosen and theirs are not among them. To offer all tools: thv tools allow --group ${group} --all`;
}

function describeImitated({ server, list, name, readsLike }: ImitatedName): string {
  const kind = list === "tools" ? "tool" : "prompt";
  return `${server} has a ${kind} ${showName(name)}, which reads as if it were one of ${readsLike}.`;
}

/** Without invisible characters, which serve only to mislead. */
function showName(name: string): string {
  return quote(name, 100).replace(
    /[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu,
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
}
