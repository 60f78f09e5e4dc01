/** What this build is. The constants are put in by the bundler (`build.mjs`). */
declare const THV_VERSION: string;
declare const THV_COMMIT: string;
declare const THV_BUILD_DATE: string;

export interface VersionInfo {
  readonly version: string;
  readonly commit: string;
  readonly build_date: string;
  /** The reference's key; here the version of Node.js. */
  readonly go_version: string;
  readonly node_version: string;
  readonly platform: string;
}

export function versionInfo(): VersionInfo {
  return {
    version: typeof THV_VERSION === "string" ? THV_VERSION : "v0.0.0-source",
    commit: typeof THV_COMMIT === "string" ? THV_COMMIT : "unknown",
    build_date: typeof THV_BUILD_DATE === "string" ? THV_BUILD_DATE : "unknown",
    go_version: `node ${process.version}`,
    node_version: process.version,
    platform: `${process.platform}/${process.arch}`,
  };
}
