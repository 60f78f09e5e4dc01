import { stringify } from "yaml";

/** A value of a project file as YAML, from which a reader gets the same value. A text of several lines stands in quotes: in a block, spaces at its end are lost. */
export function formatYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, blockQuote: false });
}
