/** Finds out from files whether the user's shell completes thv. */
import { access } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { BRAND } from "@toolhive/core/brand";
import { quotePath } from "./quote-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const { command } = BRAND;

export interface CompletionState {
  readonly shell: "bash" | "zsh" | "fish";
  /** The file that completes it. `undefined` when no place that shells search has one. */
  readonly file?: string;
  /** Sets it up for this user. */
  readonly setUp: string;
}

interface Shell {
  /** Files of completions, the user's own first. */
  readonly files: readonly string[];
  /** What the shell reads when it starts, where a line may load the completion. */
  readonly startFiles: readonly string[];
  readonly setUp: string;
}

/**
 * @param home The user's folder.
 * @returns `undefined` for a shell that thv has no completion for, and where no shell is known.
 */
export async function findCompletion(env: Environment, home: string): Promise<CompletionState | undefined> {
  const name = basename(env.SHELL ?? "");
  if (name !== "bash" && name !== "zsh" && name !== "fish") return undefined;
  const { files, startFiles, setUp } = { bash: findBash, zsh: findZsh, fish: findFish }[name](env, home);
  for (const file of files) if (await isThere(file)) return { shell: name, file, setUp };
  for (const file of startFiles) if (await loadsCompletion(file)) return { shell: name, file, setUp };
  return { shell: name, setUp };
}

function findBash(env: Environment, home: string): Shell {
  const folder = join(absolute(env.XDG_DATA_HOME) ?? join(home, ".local/share"), "bash-completion/completions");
  return {
    files: [
      join(folder, command),
      ...listDataFolders(env).map((each) => join(each, "bash-completion/completions", command)),
      ...listPrefixes(env).map((each) => join(each, "etc/bash_completion.d", command)),
      join("/etc/bash_completion.d", command),
    ],
    startFiles: [".bashrc", ".bash_profile", ".bash_completion", ".profile"].map((each) => join(home, each)),
    setUp: writeInto(folder, "bash", command),
  };
}

function findZsh(env: Environment, home: string): Shell {
  const start = absolute(env.ZDOTDIR) ?? home;
  const folder = join(home, ".zfunc");
  const file = `_${command}`;
  return {
    files: [
      join(folder, file),
      join(home, ".zsh/completions", file),
      join(home, ".oh-my-zsh/completions", file),
      ...listDataFolders(env).flatMap((each) => [
        join(each, "zsh/site-functions", file),
        join(each, "zsh/vendor-completions", file),
      ]),
    ],
    startFiles: [".zshrc", ".zprofile", ".zshenv"].map((each) => join(start, each)),
    setUp: `${writeInto(folder, "zsh", file)} && echo 'fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit' >> ${quotePath(join(start, ".zshrc"))}`,
  };
}

function findFish(env: Environment, home: string): Shell {
  const settings = join(absolute(env.XDG_CONFIG_HOME) ?? join(home, ".config"), "fish");
  const file = `${command}.fish`;
  const folder = join(settings, "completions");
  return {
    files: [join(folder, file), ...listDataFolders(env).map((each) => join(each, "fish/vendor_completions.d", file))],
    startFiles: [join(settings, "config.fish")],
    setUp: writeInto(folder, "fish", file),
  };
}

function writeInto(folder: string, shell: string, file: string): string {
  const place = quotePath(folder);
  return `mkdir -p ${place} && ${command} completion ${shell} > ${quotePath(join(folder, file))}`;
}

/** Where packages put files that are no programs. */
function listDataFolders(env: Environment): string[] {
  const named = (env.XDG_DATA_DIRS ?? "").split(":").filter(isAbsolute).slice(0, 50);
  const usual = named.length > 0 ? named : ["/usr/local/share", "/usr/share"];
  return [...new Set([...usual, ...listPrefixes(env).map((each) => join(each, "share"))])];
}

function listPrefixes({ HOMEBREW_PREFIX }: Environment): string[] {
  return HOMEBREW_PREFIX !== undefined && isAbsolute(HOMEBREW_PREFIX) ? [HOMEBREW_PREFIX] : ["/opt/homebrew"];
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

async function loadsCompletion(path: string): Promise<boolean> {
  // A comment that mentions it does not load it.
  return await readBoundedText(path).then(
    (text) => new RegExp(`^[^#\\n]*\\b${command} completion\\b`, "m").test(text),
    () => false,
  );
}
