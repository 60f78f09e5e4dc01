/** Where thv keeps its files: XDG directories, with each system's own defaults. */
import { homedir } from "node:os";
import { posix, win32 } from "node:path";

export interface Directories {
  /** Settings: `config.yaml`. */
  readonly config: string;
  /** Logs and secrets. */
  readonly data: string;
  /** Run configurations and the supervisor's own files. */
  readonly state: string;
}

interface DirectoryInput {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  readonly platform?: NodeJS.Platform;
}

/** The three directories, each ending in `toolhive`. Relative XDG values are ignored, as the XDG specification says. */
export function resolveDirectories({
  env = process.env,
  home = homedir(),
  platform = process.platform,
}: DirectoryInput = {}): Directories {
  const { isAbsolute, join } = platform === "win32" ? win32 : posix;
  const application =
    platform === "darwin"
      ? join(home, "Library/Application Support")
      : platform === "win32"
        ? (env.LOCALAPPDATA ?? join(home, "AppData/Local"))
        : undefined;
  const pick = (variable: string, linuxDefault: string) => {
    const override = env[variable];
    const base = override && isAbsolute(override) ? override : (application ?? join(home, linuxDefault));
    return join(base, "toolhive");
  };
  return {
    config: pick("XDG_CONFIG_HOME", ".config"),
    data: pick("XDG_DATA_HOME", ".local/share"),
    state: pick("XDG_STATE_HOME", ".local/state"),
  };
}
