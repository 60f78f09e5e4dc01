/** Says which words of a query no page has, and offers the nearest that some have. */
import { Fragment } from "react";

/** As the search service sends it in `unknownWords`. */
export interface UnknownWord {
  readonly word: string;
  /** Best first, at most three. */
  readonly nearest: readonly string[];
}

export interface UnknownWordsProps {
  readonly words: readonly UnknownWord[];
  /** Searches with another word in place of one that no page has. */
  readonly onReplace: (word: string, by: string) => void;
  readonly className?: string;
}

/** The element stays when it is empty, so that screen readers announce what is added to it. */
export function UnknownWords({ words, onReplace, className }: UnknownWordsProps) {
  return (
    <div role="status" className={className}>
      {words.map(({ word, nearest }) => (
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
