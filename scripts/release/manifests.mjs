/** What other people's package managers read: a Homebrew formula, a Scoop manifest and the three files of WinGet. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBrand } from "./brand.mjs";
import { describeFiles } from "./checksums.mjs";

/** Of the manifests' format; WinGet reads every version that is older than itself. */
const WINGET_VERSION = "1.10.0";

/** @typedef {{ address: string, sha256: string }} Download */
/** @typedef {Readonly<Record<string, Download>>} Downloads By system and processor: `linux_amd64`. */

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @returns {Promise<import("./context.mjs").Artifact[]>} None where the address of the files is unknown.
 */
export async function buildManifests({ out, version, downloads }) {
  if (downloads === "") return [];
  const brand = readBrand();
  /** @type {Record<string, Download>} */
  const found = {};
  for (const platform of ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64"]) {
    const file = nameArchive(brand.command, version, platform);
    const [described] = describeFiles(out, [{ file, kind: "single file", tried: true }]);
    found[platform] = { address: `${downloads}/v${version}/${file}`, sha256: described?.sha256 ?? "" };
  }
  const files = formatManifests(brand, version, found);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(out, file)), { recursive: true });
    writeFileSync(join(out, file), text);
  }
  return Object.keys(files).map((file) => ({
    file,
    kind: "manifest",
    tried: file.endsWith(".rb")
      ? "no macOS here; its syntax and members are tested"
      : "no Windows here; its members are tested",
  }));
}

/**
 * @param {string} command
 * @param {string} version
 * @param {string} platform For example `linux_amd64`.
 */
export function nameArchive(command, version, platform) {
  return `${command}_${version}_${platform}.${platform.startsWith("windows") ? "zip" : "tar.gz"}`;
}

/**
 * @param {ReturnType<typeof readBrand>} brand
 * @param {string} version
 * @param {Downloads} downloads
 * @returns {Record<string, string>} Texts by file name.
 */
export function formatManifests(brand, version, downloads) {
  const folder = "winget";
  const { winget } = brand.packages;
  return {
    [`homebrew/${brand.command}.rb`]: formatFormula(brand, version, downloads),
    [`scoop/${brand.command}.json`]: formatScoop(brand, version, downloads),
    [`${folder}/${winget}.yaml`]: formatYaml({
      PackageIdentifier: winget,
      PackageVersion: version,
      DefaultLocale: "en-US",
      ManifestType: "version",
      ManifestVersion: WINGET_VERSION,
    }),
    [`${folder}/${winget}.locale.en-US.yaml`]: formatYaml({
      PackageIdentifier: winget,
      PackageVersion: version,
      PackageLocale: "en-US",
      Publisher: brand.organization,
      PackageName: brand.product,
      License: "Apache-2.0",
      ShortDescription: describe(brand),
      Moniker: brand.command,
      ManifestType: "defaultLocale",
      ManifestVersion: WINGET_VERSION,
    }),
    [`${folder}/${winget}.installer.yaml`]: formatYaml({
      PackageIdentifier: winget,
      PackageVersion: version,
      InstallerType: "zip",
      NestedInstallerType: "portable",
      NestedInstallerFiles: [{ RelativeFilePath: `${brand.command}.exe`, PortableCommandAlias: brand.command }],
      Installers: [
        {
          Architecture: "x64",
          InstallerUrl: downloads.windows_amd64?.address,
          InstallerSha256: downloads.windows_amd64?.sha256.toUpperCase(),
        },
      ],
      ManifestType: "installer",
      ManifestVersion: WINGET_VERSION,
    }),
  };
}

/** Homebrew wants no article, no name of the program and no full stop. @param {{ product: string }} brand */
function describe({ product }) {
  return `Run MCP servers in containers, the way ${product} does`;
}

/**
 * @param {ReturnType<typeof readBrand>} brand
 * @param {string} version
 * @param {Downloads} downloads
 */
function formatFormula(brand, version, downloads) {
  const { command, links, siteUrl } = brand;
  const source = (/** @type {string} */ platform) =>
    `      url "${downloads[platform]?.address}"\n      sha256 "${downloads[platform]?.sha256}"`;
  const system = (/** @type {string} */ name, /** @type {string} */ key) => `  on_${name} do
    on_arm do
${source(`${key}_arm64`)}
    end
    on_intel do
${source(`${key}_amd64`)}
    end
  end`;
  return `class ${command.charAt(0).toUpperCase()}${command.slice(1)} < Formula
  desc "${describe(brand)}"
  homepage "${links.source === "" ? siteUrl : links.source}"
  version "${version}"
  license "Apache-2.0"

${system("macos", "darwin")}

${system("linux", "linux")}

  def install
    bin.install "${command}"
    man1.install Dir["man/*.1"]
    generate_completions_from_executable(bin/"${command}", "completion", shells: [:bash, :zsh, :fish, :pwsh])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/${command} --version")
  end
end
`;
}

/**
 * @param {ReturnType<typeof readBrand>} brand
 * @param {string} version
 * @param {Downloads} downloads
 */
function formatScoop(brand, version, { windows_amd64 }) {
  const manifest = {
    version,
    description: describe(brand),
    homepage: brand.links.source === "" ? brand.siteUrl : brand.links.source,
    license: "Apache-2.0",
    architecture: { "64bit": { url: windows_amd64?.address, hash: windows_amd64?.sha256 } },
    bin: `${brand.command}.exe`,
  };
  return `${JSON.stringify(manifest, null, 4)}\n`;
}

/**
 * The few forms of YAML that the manifests of WinGet have: scalars, and lists of mappings of scalars.
 *
 * @param {Record<string, unknown>} members
 */
function formatYaml(members) {
  const kind = members.ManifestType;
  const head = `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${kind}.${WINGET_VERSION}.schema.json\n\n`;
  const lines = Object.entries(members).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [`${name}: ${formatScalar(value)}`];
    const items = value.flatMap((item) =>
      Object.entries(item).map(([key, inner], index) => `${index === 0 ? "-" : " "} ${key}: ${formatScalar(inner)}`),
    );
    return [`${name}:`, ...items];
  });
  return `${head}${lines.join("\n")}\n`;
}

/** @param {unknown} value Text without control characters. */
function formatScalar(value) {
  const text = String(value);
  // A version such as 1.10 would else be read as a number.
  return /^[A-Za-z][\w .:/-]*$/.test(text) && !/: /.test(text) ? text : `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
