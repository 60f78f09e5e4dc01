/**
 * The programs that install a package while its image is built. They come with the build context, because only there is known
 * which programs a package has; each writes a shell script, `start`, that replaces itself with the program.
 */

/**
 * For npm: `node install.cjs FOLDER PROGRAM SPECIFIER…`, where an empty PROGRAM is the one that npx would start, and the first
 * specifier is the package. A specifier of Git names no package, so it is found as the one that no other specifier names.
 */
export const NPM_INSTALLER = `"use strict";
const { spawnSync } = require("node:child_process");
const { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } = require("node:fs");
const { join, sep } = require("node:path");

const [folder, wanted, ...specifiers] = process.argv.slice(2);
const fail = (text) => {
  console.error("toolhive: " + text);
  process.exit(1);
};
// npm names a file with the details of its failure, which nobody can read once the build has ended.
const printLog = (logs) => {
  const [name] = existsSync(logs) ? readdirSync(logs).sort().reverse() : [];
  if (name === undefined) return;
  const lines = readFileSync(join(logs, name), "utf8").split("\\n");
  // Errors and warnings are printed already.
  const details = lines.filter((line) => /^\\d+ (?:info|verbose) /.test(line)).slice(-20);
  for (const line of details) console.error("npm log: " + line.slice(0, 300));
};
const cache = join(folder, "npm-cache");
const options = ["--save-exact", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel", "http"];
mkdirSync(folder, { recursive: true });
const { status, error } = spawnSync(
  "npm",
  ["install", "--prefix", folder, "--cache", cache, ...options, "--", ...specifiers],
  { stdio: "inherit", cwd: folder },
);
if (error) fail("npm cannot be started: " + error.message);
if (status !== 0) {
  printLog(join(cache, "_logs"));
  process.exit(status === null ? 1 : status);
}
rmSync(cache, { recursive: true, force: true });

const nameOf = (specifier) => specifier.replace(/^(@?[^@]+)@.*$/s, "$1");
const others = specifiers.slice(1).map(nameOf);
const installed = Object.keys(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies || {});
const first = nameOf(specifiers[0]);
const main = installed.includes(first) ? first : installed.find((name) => !others.includes(name));
if (main === undefined) fail("npm has installed no package");

const modules = join(folder, "node_modules");
const links = join(modules, ".bin");
const names = existsSync(links) ? readdirSync(links).sort() : [];
const home = realpathSync(join(modules, main)) + sep;
const files = new Map();
for (const name of names) {
  const file = realpathSync(join(links, name));
  if (file.startsWith(home)) files.set(name, file);
}
const own = main.replace(/^@[^/]*\\//, "");
let chosen = own;
if (wanted !== "") chosen = names.includes(wanted) ? wanted : undefined;
else if (!files.has(own)) chosen = new Set(files.values()).size === 1 ? [...files.keys()][0] : undefined;
if (chosen === undefined) {
  const list = [...files.keys()].join(",");
  fail(list === "" ? "the package has no program" : "the programs of the package are " + list);
}
const quoted = "'" + join(links, chosen).replaceAll("'", "'\\\\''") + "'";
writeFileSync(join(folder, "start"), "#!/bin/sh\\nexec " + quoted + ' "$@"\\n', { mode: 0o755 });
`;

/**
 * For uv: `sh install.sh FOLDER PROGRAM OPTION…`, where an empty PROGRAM is the one that uvx would start, or the only one.
 * Only what every shell has by itself is used.
 */
export const UV_INSTALLER = `set -eu
folder=$1
wanted=$2
shift 2
fail() {
  echo "toolhive: $1" >&2
  exit 1
}
export UV_TOOL_DIR="$folder/tools" UV_TOOL_BIN_DIR="$folder/bin" UV_PYTHON_INSTALL_DIR="$folder/python" PATH="$folder/bin:$PATH"
export UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy
uv tool install --no-cache "$@"

list=
count=0
for path in "$folder"/bin/*; do
  [ -x "$path" ] || continue
  only=$path
  count=$((count + 1))
  list="$list\${list:+,}\${path##*/}"
done
for tool in "$folder"/tools/*/; do
  tool=\${tool%/}
  name=\${tool##*/}
  found=
  if [ -n "$wanted" ]; then
    for path in "$folder/bin/$wanted" "$tool/bin/$wanted"; do
      if [ -z "$found" ] && [ -x "$path" ]; then found=$path; fi
    done
  else
    [ "$count" -gt 0 ] || fail "the package has no program"
    IFS=-
    set -- $name
    IFS=_
    for path in "$folder/bin/$name" "$folder/bin/$*"; do
      if [ -z "$found" ] && [ -x "$path" ]; then found=$path; fi
    done
    unset IFS
    if [ -z "$found" ] && [ "$count" -eq 1 ]; then found=$only; fi
  fi
  [ -n "$found" ] || fail "the programs of the package are $list"
  case \${found##*/} in *[!A-Za-z0-9._+-]*) fail "its program has a name that is not supported: \${found##*/}" ;; esac
  printf '#!/bin/sh\\nexec "%s" "$@"\\n' "$found" >"$folder/start"
  exit 0
done
fail "uv has installed nothing"
`;
