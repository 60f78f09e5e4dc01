/** Paths in commands that a person copies into a shell. */

/** A path as one word. */
export function quotePath(path: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return /[\s&;()']/.test(path) ? `"${path}"` : path;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** What goes before a command that changes this path: `sudo ` for folders of the system. */
export function formatSudo(path: string): string {
  return path.startsWith("/usr/") ? "sudo " : "";
}
