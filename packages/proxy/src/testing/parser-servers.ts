/**
 * The same small server in languages whose parsers disagree about odd JSON, as child processes on stdio. The one in Go is
 * built once, from the standard library alone; where a toolchain is missing, its tests are skipped.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type ChildServer, startProgram } from "./child-servers.ts";

export const LANGUAGES = ["Go", "Python", "JavaScript"] as const;
export type Language = (typeof LANGUAGES)[number];

const TOOLS: Readonly<Record<Language, readonly [string, string]>> = {
  Go: ["go", "version"],
  Python: ["python3", "--version"],
  JavaScript: [process.execPath, "--version"],
};

const placeSource = (ending: string): string => fileURLToPath(new URL(`parsers/server.${ending}`, import.meta.url));
const CACHE = new URL("../../../../.cache/parsers/", import.meta.url);

/** Why a language's server cannot run here; `undefined` when it can. */
export function whyMissing(language: Language): string | undefined {
  const [command, argument] = TOOLS[language];
  return spawnSync(command, [argument]).status === 0 ? undefined : `there is no ${command} on this machine`;
}

export function startParserServer(language: Language): ChildServer {
  switch (language) {
    case "Go":
      return startProgram(buildGo(), []);
    case "Python":
      return startProgram("python3", ["-u", placeSource("py")]);
    case "JavaScript":
      return startProgram(process.execPath, [placeSource("mjs")]);
  }
}

/** @returns The path of the program, which is built when the source is new. */
function buildGo(): string {
  const source = placeSource("go");
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);
  const program = fileURLToPath(new URL(`server-${hash}`, CACHE));
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const unfinished = `${program}.${process.pid}`;
  // Nothing is fetched: no module, no other toolchain.
  const env = { ...process.env, CGO_ENABLED: "0", GOPROXY: "off", GOTOOLCHAIN: "local", GOFLAGS: "" };
  execFileSync("go", ["build", "-o", unfinished, source], { env });
  renameSync(unfinished, program);
  return program;
}
