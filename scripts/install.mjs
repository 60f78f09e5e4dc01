/**
 * `node scripts/install.mjs`: after `npm start` in a checkout that had no packages, adds what only tests and checks use. The
 * commands of the root's package.json that use those begin with it. Whatever else installed the packages, it changes nothing.
 */
import { fileURLToPath } from "node:url";
import { ensureInstalled, isForBuildsOnly } from "./lib/install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
if (isForBuildsOnly(root)) {
  const { runCommand } = await import("./lib/run-command.mjs");
  await runCommand(async (context) => {
    await ensureInstalled(root, context);
    return 0;
  });
}
