/** Writes the static text of pages to files of their own (`rehype-static-text.ts`), and defines where it stays in the bundle. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CurrentBundler, Plugin } from "@docusaurus/types";
import { listPageTexts } from "./page-texts.ts";

type Compiler = InstanceType<CurrentBundler["instance"]["Compiler"]>;

export default function staticText(): Plugin {
  return {
    name: "toolhive-static-text",
    configureWebpack(_config, isServer) {
      // The build writes pages from it. A page that is watched while it is written is not built, so that the browser needs it.
      const isInline = isServer || process.env.NODE_ENV !== "production";
      const definePlace = {
        apply(compiler: Compiler): void {
          new compiler.webpack.DefinePlugin({ IS_TEXT_INLINE: JSON.stringify(isInline) }).apply(compiler);
        },
      };
      return { plugins: [definePlace] };
    },
    async postBuild({ outDir }) {
      for (const [file, text] of listPageTexts()) {
        const target = path.join(outDir, file);
        await mkdir(path.dirname(target), { recursive: true });
        await writeFile(target, text);
      }
    },
  };
}
