/**
 * Writes `third-party-notices.txt` beside the pages: the licenses of all packages whose code, styles or fonts the browser gets.
 * The list is the bundler's own, so that a package cannot be forgotten.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CurrentBundler, Plugin } from "@docusaurus/types";
import { assertLicenses, findClosure, findPackages, formatNotices } from "../../../scripts/lib/third-party.mjs";

type Compiler = InstanceType<CurrentBundler["instance"]["Compiler"]>;

const SITE = path.join(__dirname, "../..");
const NAME = "toolhive-third-party-notices";

/** Packages of fonts: the stylesheet's own compiler copies their files and names no modules. */
function listFonts(): string[] {
  const { dependencies } = JSON.parse(readFileSync(path.join(SITE, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(dependencies).filter((name) => name.startsWith("@fontsource"));
}

export default function thirdPartyNotices(): Plugin {
  const files = new Set<string>();
  const collectModules = {
    apply(compiler: Compiler): void {
      compiler.hooks.compilation.tap(NAME, (compilation) => {
        compilation.hooks.finishModules.tap(NAME, (modules) => {
          for (const module of modules) for (const file of listFiles(module.identifier())) files.add(file);
        });
      });
    },
  };
  return {
    name: NAME,
    configureWebpack: (_config, isServer) => (isServer ? {} : { plugins: [collectModules] }),
    async postBuild({ outDir }) {
      const packages = [...findPackages(files), ...findClosure(SITE, listFonts())];
      assertLicenses(packages);
      writeFileSync(path.join(outDir, "third-party-notices.txt"), formatNotices("This site", packages));
    },
  };
}

/** A module's identifier is `type|loader!loader!file?query|…`; its last file is the one whose content travels. */
function listFiles(identifier: string): string[] {
  const [last = ""] = identifier.split("!").slice(-1);
  return last
    .split("|")
    .filter((part) => path.isAbsolute(part))
    .map((part) => part.replace(/\?.*$/, ""));
}
