/**
 * What of the program the written pages explain: each command, flag, API operation, setting, error and status should be
 * met in a guide, not only in the generated reference.
 */
import { ROUTES } from "@toolhive/api";
import { COMMANDS, isShown, listShownFlags } from "@toolhive/cli/commands";
import { DEFAULT_CONFIG, ERRORS, WORKLOAD_STATUSES } from "@toolhive/core";
import { listWrittenPages } from "./pages.ts";

export interface Coverage {
  readonly what: string;
  readonly all: number;
  /** Names that no written page of the site explains. */
  readonly missing: readonly string[];
}

/** One text for each page; a flag counts where its command is met, too. */
const texts = () =>
  listWrittenPages()
    .filter(({ kind }) => kind !== "text")
    .map(({ source }) => source);

const escaped = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** The word, not followed by what would make it a longer one. */
const word = (text: string) => new RegExp(`${escaped(text)}(?![\\w-])`);

function measure(what: string, names: readonly string[], isExplained: (name: string) => boolean): Coverage {
  return { what, all: names.length, missing: names.filter((name) => !isExplained(name)) };
}

export function measureCoverage(pages: readonly string[] = texts()): Coverage[] {
  const occurs = (...words: readonly RegExp[]) => pages.some((page) => words.every((each) => each.test(page)));
  const commands = COMMANDS.filter(isShown);
  const flags = commands.flatMap((command) =>
    listShownFlags(command).map(({ name }) => `thv ${command.path.join(" ")} --${name}`),
  );
  return [
    measure(
      "commands",
      commands.map(({ path }) => `thv ${path.join(" ")}`),
      (name) => occurs(word(name)),
    ),
    measure("flags", flags, (name) => {
      const [command = "", flag = ""] = name.split(" --");
      return occurs(word(command), word(`--${flag}`));
    }),
    measure(
      "API operations",
      Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`),
      (name) => occurs(new RegExp(`${escaped(name)}(?![\\w/{-])`)),
    ),
    measure(
      "settings",
      Object.entries(DEFAULT_CONFIG).flatMap(([section, value]) =>
        typeof value === "object" ? Object.keys(value).map((key) => `${section}.${key}`) : [section],
      ),
      (name) => occurs(word(name)),
    ),
    measure("errors", Object.keys(ERRORS), (name) => occurs(word(name))),
    measure("statuses", WORKLOAD_STATUSES, (name) => occurs(new RegExp(`\`${name}\``))),
  ];
}
