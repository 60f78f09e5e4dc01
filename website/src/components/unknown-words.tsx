/** Says which words of a query no page has, with the nearest that some have, or that the query is in another language. */
import { Fragment } from "react";

/** As the search service sends it in `unknownWords`. */
export interface UnknownWord {
  readonly word: string;
  /** Best first, at most three. */
  readonly nearest: readonly string[];
}

/** What the service says of a query beside its hits. */
export interface QueryNotes {
  readonly words: readonly UnknownWord[];
  /** Whether the query is in another language than the pages. */
  readonly isOtherLanguage: boolean;
}

export const NO_NOTES: QueryNotes = { words: [], isOtherLanguage: false };

/** As an answer has them. Only our own service sends them. */
export interface NotedAnswer {
  readonly unknownWords?: readonly UnknownWord[];
  readonly otherLanguage?: boolean;
}

export function readNotes({ unknownWords = [], otherLanguage = false }: NotedAnswer = {}): QueryNotes {
  return { words: unknownWords, isOtherLanguage: otherLanguage };
}

export interface UnknownWordsProps {
  readonly notes: QueryNotes;
  /** Searches with another word in place of one that no page has. */
  readonly onReplace: (word: string, by: string) => void;
  readonly className?: string;
}

/** The element stays when it is empty, so that screen readers announce what is added to it. */
export function UnknownWords({ notes, onReplace, className }: UnknownWordsProps) {
  return (
    <div role="status" className={className}>
      {notes.isOtherLanguage && <p>These pages are in English. Search with English words.</p>}
      {(notes.isOtherLanguage ? [] : notes.words).map(({ word, nearest }) => (
        <p key={word}>
          No page has “{word}”.
          {nearest.length > 0 && " Similar: "}
          {nearest.map((other, at) => (
            <Fragment key={other}>
              {at > 0 && ", "}
              <button type="button" className="clean-btn unknown-word" onClick={() => onReplace(word, other)}>
                {other}
              </button>
            </Fragment>
          ))}
        </p>
      ))}
    </div>
  );
}

/** @param query As it was typed. @param word Folded, as the service names it. */
export function replaceWord(query: string, word: string, by: string): string {
  const fold = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const at = fold(query).indexOf(word);
  // Folding may change lengths; then the words are replaced as a whole.
  if (at < 0 || fold(query).length !== query.length) return fold(query).replace(word, by);
  return query.slice(0, at) + by + query.slice(at + word.length);
}
