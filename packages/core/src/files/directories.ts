/** Where thv keeps its files: XDG directories, with each system's own defaults. */
import { homedir } from "node:os";
import { posix, win32 } from "node:path";

/** In the folder of the settings. */
export const CONFIG_FILE = "config.yaml";

export interface Directories {
  /** Settings: `config.yaml`. */
  readonly config: string;
  /** Logs and secrets. */
  readonly data: string;
  /** Run configurations and the supervisor's own files. */
  readonly state: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface DirectoryInput {
  readonly env?: Environment;
  readonly home?: string;
  readonly platform?: NodeJS.Platform;
}

/**
 * The user's folder. On Windows a shell's own `HOME` does not count: Git Bash and others set it, and no other program keeps
 * its files there.
 */
export function resolveHome(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  return (platform === "win32" ? env.USERPROFILE : env.HOME) ?? homedir();
}

/** Whether a path is the same wherever the program runs; one of Windows without a drive is not. */
function isWhole(path: string | undefined, platform: NodeJS.Platform): path is string {
  if (path === undefined) return false;
  return platform === "win32" ? win32.parse(path).root.length > 1 && win32.isAbsolute(path) : posix.isAbsolute(path);
}

/** The three directories, each ending in `toolhive`. Relative XDG values are ignored, as the XDG specification says. */
export function resolveDirectories({
  env = process.env,
  home = homedir(),
  platform = process.platform,
}: DirectoryInput = {}): Directories {
  const { join } = platform === "win32" ? win32 : posix;
  const application =
    platform === "darwin"
      ? join(home, "Library/Application Support")
      : platform === "win32"
        ? isWhole(env.LOCALAPPDATA, platform)
          ? env.LOCALAPPDATA
          : join(home, "AppData/Local")
        : undefined;
  const pick = (variable: string, linuxDefault: string) => {
    const override = env[variable];
    const base = isWhole(override, platform) ? override : (application ?? join(home, linuxDefault));
    return join(base, "toolhive");
  };
  return {
    config: pick("XDG_CONFIG_HOME", ".config"),
    data: pick("XDG_DATA_HOME", ".local/share"),
    state: pick("XDG_STATE_HOME", ".local/state"),
  };
}
