/** What a manifest says in other words, or not at all, on a machine without a cluster. */

/** Either a sentence, or members that are left out together, for one reason. */
export type ManifestNote =
  | { readonly sentence: string; readonly lost?: readonly string[]; readonly reason?: string }
  | {
      /** The beginning of the sentence that names the members. */
      readonly words: string;
      readonly lost: readonly string[];
      /** Why each of them is left out, without a full stop. */
      readonly reason: string;
    };

/** @returns The sentence for people. */
export function formatNote(note: ManifestNote): string {
  return "sentence" in note ? note.sentence : `${note.words}: ${note.lost.join(", ")}.`;
}
