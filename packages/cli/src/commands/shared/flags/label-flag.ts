/** `--label KEY=VALUE`, for giving labels and for finding by them. */
import { ThvError } from "@toolhive/core/errors";
import { findLabelProblem } from "@toolhive/core/user-labels";

/**
 * Split at the first `=`; the value may be empty.
 *
 * @throws {ThvError} `USAGE` naming every label that is none: leaving one out would find or start something else.
 */
export function parseLabels(texts: readonly string[]): (readonly [key: string, value: string])[] {
  const problems: string[] = [];
  const labels = readLabels(texts, problems);
  if (problems.length === 0) return labels;
  throw new ThvError("USAGE", `${problems.join("; ")}.`, { hint: "For example: --label team=maps" });
}

/** @param problems Receives the problem of each invalid label. */
export function readLabels(texts: readonly string[], problems: string[]): (readonly [key: string, value: string])[] {
  return texts.flatMap((text) => {
    const split = text.indexOf("=");
    const label = [text.slice(0, split), text.slice(split + 1)] as const;
    const problem =
      split === -1 ? `label "${text.slice(0, 80)}" is not KEY=VALUE` : findLabelProblem(label[0], label[1]);
    if (problem === undefined) return [label];
    problems.push(`--label: ${problem}`);
    return [];
  });
}
