/**
 * The command that ends a process, for a hint. Windows knows no signals: a program without a window is ended at once, and its
 * servers run until the next supervisor finds them.
 *
 * @param platform Default: this machine's.
 */
export function formatKill(pid: number, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? `taskkill /F /PID ${pid}` : `kill ${pid}`;
}
