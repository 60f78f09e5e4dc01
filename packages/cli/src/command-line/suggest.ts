/** "Did you mean": the nearest known word to a mistyped one. */
export { computeEditDistance, findNearest } from "@toolhive/core/nearest";
