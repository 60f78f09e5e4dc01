/**
 * `npm run release`: builds everything that can be installed into one folder, and prints a list of it. It publishes nothing.
 *
 * | Option            | Default                       | Meaning                                                        |
 * |-------------------|-------------------------------|----------------------------------------------------------------|
 * | `--version V`     | that of the root package.json | The version of what is built, without a `v`.                   |
 * | `--out DIR`       | `.cache/release/V`            | The folder of the results; it is emptied first.                |
 * | `--only NAME`     | all                           | A step to run, with those that it builds on; can be repeated.  |
 * | `--downloads URL` | `links.downloads` of the brand  | Where the files will lie: `URL/vV/FILE`; without one there are no
 * manifests. |
 * | `--allow-changes` | off                           | Builds also from a checkout with changes that are no commit.   |
 */

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CommandFailure, describeError } from "./lib/errors.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { formatTable } from "./lib/terminal.mjs";
import { describeFiles, writeChecksums } from "./release/checksums.mjs";
import { assertReleasable, openContext } from "./release/context.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

await runCommand(async ({ children, terminal, onEnd, ...rest }) => {
  const options = readOptions();
  await ensureInstalled(root, { children, terminal, onEnd, ...rest });
  // These load packages, which were not there before.
  const { selectSteps } = await import("./release/steps.mjs");
  const { readBrand } = await import("./release/brand.mjs");
  const steps = selectSteps(options.only);
  const downloads = options.downloads ?? readBrand().links.downloads;
  const release = openContext({ root, children, version: options.version, out: options.out, downloads });
  onEnd(() => release.close());
  assertReleasable(release, { allowsChanges: options.allowsChanges });

  /** @type {import("./release/context.mjs").Artifact[]} */
  const artifacts = [];
  for (const { title, build } of steps) {
    artifacts.push(
      ...(await terminal.step(title, () => build(release), {
        describe: (built) => built.map(({ file }) => file).join(", "),
      })),
    );
  }
  const files = describeFiles(release.out, artifacts);
  writeChecksums(release.out, files);
  terminal.line();
  const rows = files.map(({ file, kind, bytes, sha256, tried }) => [
    file,
    kind,
    bytes.toLocaleString("en-US"),
    sha256,
    describeTrial(tried),
  ]);
  for (const line of formatTable([["File", "Kind", "Bytes", "SHA-256", ""], ...rows])) terminal.line(line);
  terminal.line();
  terminal.line(`All of it is in ${release.out}. Nothing was published.`);
  return 0;
});

/** @param {import("./release/context.mjs").Artifact["tried"]} tried */
function describeTrial(tried) {
  if (tried === true) return "tried";
  return tried === "" ? "" : `not tried: ${tried}`;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        version: { type: "string" },
        out: { type: "string" },
        downloads: { type: "string" },
        only: { type: "string", multiple: true, default: [] },
        "allow-changes": { type: "boolean", default: false },
      },
    });
    return {
      version: values.version,
      out: values.out,
      only: values.only,
      downloads: values.downloads,
      allowsChanges: values["allow-changes"],
    };
  } catch (error) {
    const hint = `Options: --version V, --out DIR, --only STEP, --downloads URL, --allow-changes`;
    throw new CommandFailure(describeError(error), { hint, exitCode: 2 });
  }
}
