/** The ways in which thv reaches a machine. */

export const CHANNELS = [
  "npm",
  "npx",
  "file",
  "deb",
  "rpm",
  "homebrew",
  "scoop",
  "winget",
  "image",
  "install-script",
  "source",
] as const;

/** `file` is a single executable that somebody downloaded; `source` is a build from the sources. */
export type Channel = (typeof CHANNELS)[number];

/** @param value Anything, such as the member of a file. */
export function isChannel(value: unknown): value is Channel {
  return CHANNELS.some((each) => each === value);
}
