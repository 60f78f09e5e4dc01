/** A path as a word of a command that a person copies into a shell. */
export function quotePath(path: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return /[\s&;()']/.test(path) ? `"${path}"` : path;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
