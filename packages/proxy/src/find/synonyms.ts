/**
 * Words that people and tools use for the same, of programming, offices and the web: of each line, every word may stand for every
 * other. They only ever add: a word that a tool has itself counts more.
 */
import { stemOf } from "@toolhive/search/words";

const SAME = [
  "create new",
  "delete remove drop",
  "list show",
  "get read fetch retrieve",
  "update edit change modify",
  "search find query",
  "post send",
  "run execute",
  "folder directory dir",
  "repository repo",
  "issue ticket bug",
  "pr pull",
  "mr merge",
  "database db",
  "mongo mongodb",
  "kubernetes k8s",
  "javascript js",
  "url link",
  "picture image photo",
  "comment remark",
  "user account",
  "page webpage",
  "message text",
  "type enter",
  "click press",
  "person people",
];

const NEAR = [
  // What is done
  "create add new make start insert build set",
  "open create",
  "delete remove drop erase clear forget destroy purge trash",
  "list show all enumerate display see",
  "get read fetch retrieve view load show content",
  "update edit change modify alter replace patch",
  "search find look query locate seek lookup",
  "send post publish tell say announce write",
  "run execute launch invoke perform",
  "stop end close terminate cancel finish",
  "move rename relocate",
  "copy duplicate clone fork",
  "upload attach",
  "download save export",
  "compare diff difference",
  "merge combine join",
  "approve accept review",
  "answer reply respond",
  "choose select pick switch",
  "switch checkout",
  "undo revert reset restore rollback back unstage return",
  "check verify test status validate",
  "status state health running",
  "remember store save memory memorize know",
  "memory knowledge graph",
  "convert translate transform",
  "aggregate group sum average",
  "install deploy apply setup",
  "explain describe mean documentation",
  "count number many total amount",
  "watch monitor track notify follow",
  "alert dialog popup",
  "collect gather crawl scrape harvest",
  "extract pull scrape parse structured",
  "back previous before history",
  "take capture get",
  // Files and code
  "folder directory path dir",
  "file document disk readme",
  "disk filesystem local",
  "size space big large storage bytes",
  "metadata info detail information",
  "several multiple many batch",
  "line row",
  "repository repo project",
  "issue ticket bug problem task",
  "pr pull",
  "mr merge",
  "ci status check pipeline build",
  "history log commit",
  "stage staged staging index",
  "branch",
  // The web
  "page website site web webpage",
  "url link address",
  "internet web online",
  "picture image photo media screenshot",
  "look appear screenshot",
  "press click tap push",
  "type enter fill",
  "form field input",
  "mouse drag drop pull hover",
  "menu dropdown option",
  "window browser screen viewport",
  "error warning message log",
  "http network request call traffic",
  "javascript js script code",
  // Places and time
  "coordinate latitude longitude geocode position location",
  "address street location place",
  "drive route direction way travel walk",
  "high height altitude elevation",
  "restaurant shop business local nearby near place",
  "long duration time distance",
  "now current present today",
  "clock time hour",
  "timezone zone",
  "weather forecast",
  // Clusters and databases
  "kubernetes k8s cluster kubectl",
  "container pod docker",
  "pod resource deployment service",
  "node machine",
  "shell command terminal exec",
  "replica copy instance scale",
  "maintenance drain cordon",
  "version rollout revision release",
  "localhost local port forward",
  "yaml manifest",
  "output log",
  "database db sql mongo mongodb",
  "record document row entry item",
  "table collection relation",
  "field column schema attribute property",
  "slow fast performance speed plan",
  "fast index",
  // People
  "user person people member employee colleague entity account profile",
  "channel room chat",
  "message chat text post",
  "fact observation note",
  "emoji reaction smiley thumb",
  "conversation thread discussion",
  "comment reply note remark feedback",
  "email mail",
  "paper article research study science",
  "tag label",
];

/** What a word counts for that means the same, or nearly so. */
const SAME_SHARE = 0.7;
const NEAR_SHARE = 0.5;

const SYNONYMS = new Map<string, Map<string, number>>();
addGroups(NEAR, NEAR_SHARE);
addGroups(SAME, SAME_SHARE);

function addGroups(groups: readonly string[], share: number): void {
  for (const group of groups) {
    const stems = group.split(" ").map((word) => stemOf(word));
    for (const stem of stems) {
      const known = SYNONYMS.get(stem) ?? new Map<string, number>();
      for (const other of stems) if (other !== stem) known.set(other, share);
      SYNONYMS.set(stem, known);
    }
  }
}

/** @param stem Of a word. @returns Stems of words that may stand for it, and what they count for. */
export function findSynonyms(stem: string): Iterable<readonly [string, number]> {
  return SYNONYMS.get(stem) ?? [];
}
