/** Words of a text and how they are alike, for programs that rank something else than pages. */

export { editDistance, typosAllowed } from "./text/edit-distance.ts";
export { computeRarity } from "./text/rarity.ts";
export { stemWord } from "./text/stem.ts";
export { tokenize } from "./text/tokenize.ts";
export { isAskingWord, isStopWord } from "./text/vocabulary.ts";
