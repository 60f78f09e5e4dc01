/** Paths of this machine in what a client starts: a container sees them only as volumes. */

/** An absolute path of this machine, or one in the user's folder. */
export function isHostPath(text: string): boolean {
  return /^(?:\/[^/]|~\/|[A-Za-z]:[\\/])/.test(text);
}

/** The value behind `--option=`, or the whole text. */
function readValue(arg: string): string {
  return arg.replace(/^--?[\w-]+=/, "");
}

/** @param served Arguments that are volumes already. */
export function listUnseenArguments(args: readonly string[], served: readonly string[]): string[] {
  return args
    .map(readValue)
    .filter((arg) => isHostPath(arg) && !served.includes(arg))
    .map((path) => `its argument ${path.slice(0, 200)} is a path of this machine, which it sees only as a volume`);
}

export function listUnseenVariables(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([, value]) => isHostPath(value))
    .map(
      ([name, path]) =>
        `its variable ${name.slice(0, 100)} has ${path.slice(0, 200)}, a path of this machine, which it sees only as a volume`,
    );
}
