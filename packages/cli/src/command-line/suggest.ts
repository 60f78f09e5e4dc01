/** "Did you mean": the nearest known word to a mistyped one. */
export { editDistance, nearest } from "@toolhive/core/nearest";
