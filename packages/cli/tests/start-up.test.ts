/** What a command loads before it does anything: a command that shows a list must not pay for the supervisor. */
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";

/** Files that are loaded with a module: everything it imports other than by `import()`. */
async function listBundledFiles(module: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, "../src", module)],
    bundle: true,
    write: false,
    metafile: true,
    outdir: "out",
    splitting: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    external: ["@napi-rs/*"],
    logLevel: "error",
  });
  const [entry] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint?.endsWith(module));
  const found = new Set<string>();
  const visit = (path: string): void => {
    const output = metafile.outputs[path];
    if (!output) return;
    for (const input of Object.keys(output.inputs)) found.add(input);
    for (const { path: next, kind } of output.imports) {
      if (kind !== "dynamic-import" && metafile.outputs[next] && !visited.has(next)) {
        visited.add(next);
        visit(next);
      }
    }
  };
  const visited = new Set<string>();
  visit(entry?.[0] ?? "");
  return [...found];
}

describe.each([
  ["thv.ts", "any command, and help"],
  ["commands/list/list.ts", "thv list"],
  ["commands/version/version.ts", "thv version"],
  ["commands/logs/logs.ts", "thv logs"],
  ["commands/lifecycle/lifecycle.ts", "thv stop, restart and rm"],
  ["completion/completion.ts", "completion"],
])("%s, for %s", (module) => {
  test("loads no library, and of the other packages only what is small", async () => {
    const files = await listBundledFiles(module);

    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => file.includes("node_modules"))).toEqual([]);
    expect(files.filter((file) => /packages\/(core|api|proxy|engine)\/src\/index\.ts$/.test(file))).toEqual([]);
  });
});
