/** Reads everything below some folders, also what engines keep there, but for the content of images. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What engines unpack images into; files that a server writes in its container are its own affair. */
const IMAGES = ["overlay", "overlay2", "vfs", "image"];

/** @returns Files that contain the text, sorted. */
export async function filesWith(text: string, folders: readonly string[]): Promise<string[]> {
  const pattern = await mkdtemp(join(tmpdir(), "thv-pattern-"));
  try {
    // Not as an argument: the search itself would be found among the processes.
    await writeFile(join(pattern, "text"), text);
    const excluded = IMAGES.map((name) => `--exclude-dir=${name}`);
    const args = ["-rlaF", "--devices=skip", "-f", join(pattern, "text"), ...excluded, ...folders];
    const grep = spawn("grep", args, { stdio: ["ignore", "pipe", "ignore"] });
    let found = "";
    grep.stdout.setEncoding("utf8").on("data", (chunk) => {
      found += chunk;
    });
    await once(grep, "close");
    return found.split("\n").filter(Boolean).sort();
  } finally {
    await rm(pattern, { recursive: true });
  }
}
