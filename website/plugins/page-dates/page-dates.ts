/**
 * When pages were last changed, from one reading of git's history. The framework starts two processes for each page to find the
 * same, which took a fifth of the build, and has no dates for generated pages. Those carry the date of the newest commit to their
 * sources.
 */
import { execFileSync } from "node:child_process";
import path from "node:path";

export interface PageDates {
  /** @returns `undefined` for a page that git does not know and that is not generated. */
  find(file: string): Date | undefined;
}

export interface PageDatesOptions {
  /** Folder of the written pages; absolute. */
  readonly pagesDir: string;
  /** Folder of the generated pages, which git does not know; absolute. */
  readonly generatedDir: string;
  /** Folders that the generated pages are made from; absolute. */
  readonly sourceDirs: readonly string[];
}

/** Begins the line of a commit; no path holds it. */
const COMMIT = "\0";

/** @returns `undefined` where there is no git or no history: in an archive, or in a container. */
export function readPageDates({ pagesDir, generatedDir, sourceDirs }: PageDatesOptions): PageDates | undefined {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "core.quotePath=false", "-c", "log.showSignature=false", ...args], {
      cwd: pagesDir,
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024,
      stdio: ["ignore", "pipe", "ignore"],
    });
  let root: string;
  let log: string;
  try {
    // Relative, so that files keep the names that the caller gave its folders, through links, too.
    root = path.resolve(pagesDir, git("rev-parse", "--show-cdup").trim());
    log = git("log", "--format=%x00%ct", "--name-only", "--no-renames", "--", pagesDir, ...sourceDirs);
  } catch {
    // Pages without dates are complete pages; steps that need git's history report its error.
    return undefined;
  }
  const dates = new Map<string, Date>();
  let newestOfSources: Date | undefined;
  let date = new Date(0);
  // Newest commits are first, so that the first date of a file is its last change.
  for (const line of log.split("\n")) {
    if (line.startsWith(COMMIT)) date = new Date(Number(line.slice(COMMIT.length)) * 1000);
    else if (line !== "") {
      const file = path.join(root, line);
      if (!dates.has(file)) dates.set(file, date);
      if (sourceDirs.some((source) => isInside(source, file))) newestOfSources ??= date;
    }
  }
  return { find: (file) => dates.get(file) ?? (isInside(generatedDir, file) ? newestOfSources : undefined) };
}

function isInside(directory: string, file: string): boolean {
  return file.startsWith(directory + path.sep);
}
