/**
 * Mount declarations of permission profiles and of `--volume` (api-behaviour 5.2): `path`, the same on both sides, or
 * `host-path:container-path`, both with options behind another colon. Windows paths keep the colon of their drive.
 */
import { posix, win32 } from "node:path";

export interface MountDeclaration {
  /** As written; may be relative. */
  readonly source: string;
  readonly target: string;
  /** `undefined` when the declaration says neither `ro` nor `rw`. */
  readonly readOnly: boolean | undefined;
  readonly relabel: "shared" | "private" | undefined;
}

/** Characters with a meaning to a shell or in an engine's own syntax. */
const FORBIDDEN = /[$&;|`\0\r\n]/;
const RESOURCE = /^[A-Za-z][A-Za-z0-9_-]*:\/\//;
/** Shares of other machines, named pipes and devices of Windows. */
const WINDOWS_NETWORK_PATH = /^[\\/]{2}/;
const WINDOWS_PATH = /^[A-Za-z]:[\\/]/;
const OPTIONS = /^(?:ro|rw|z|Z)(?:,(?:ro|rw|z|Z))*$/;
/** Targets that belong to the kernel; no mount may replace them. */
const SYSTEM_TARGET = /^\/(?:proc|sys|dev)(?:\/|$)/;

/**
 * @param platform Of the machine whose path it is. Default: this one's.
 * @returns The declaration, or a sentence with its problem.
 */
export function parseMountDeclaration(
  text: string,
  platform: NodeJS.Platform = process.platform,
): MountDeclaration | string {
  const isWindows = platform === "win32";
  const quoted = `mount "${text.slice(0, 200)}"`;
  if (FORBIDDEN.test(text)) return `${quoted} holds one of the characters $ & ; | \` or a control character`;
  if (RESOURCE.test(text) && !(isWindows && WINDOWS_PATH.test(text)))
    return `${quoted} names a resource, which cannot be mounted: give a path of this machine`;
  if (isWindows && WINDOWS_NETWORK_PATH.test(text))
    return `${quoted} names a share or a pipe, which engines on Windows cannot mount: give a path with a drive`;
  const { source, rest } = splitSource(text, isWindows);
  const options = OPTIONS.test(rest.at(-1) ?? "") ? (rest.at(-1) ?? "").split(",") : [];
  const parts = options.length > 0 ? rest.slice(0, -1) : rest;
  if (parts.length > 1) return `${quoted} has too many parts: write host-path:container-path`;
  if (source === "") return `${quoted} has no path on this machine`;
  const target = parts[0] ?? source;
  if (!target.startsWith("/"))
    return `${quoted} needs an absolute path in the container: write host-path:/container-path`;
  const cleaned = cleanPosix(target);
  if (cleaned === "/" || SYSTEM_TARGET.test(cleaned))
    return `${quoted} would take the place of ${cleaned} in the container`;
  const has = (option: string) => options.includes(option);
  if (has("ro") && has("rw")) return `${quoted} is both ro and rw`;
  if (has("z") && has("Z")) return `${quoted} is both z and Z`;
  return {
    source: isWindows || WINDOWS_PATH.test(source) ? win32.normalize(source) : cleanPosix(source),
    target: cleaned,
    readOnly: has("ro") ? true : has("rw") ? false : undefined,
    relabel: has("z") ? "shared" : has("Z") ? "private" : undefined,
  };
}

export function formatMountDeclaration({ source, target, readOnly, relabel }: MountDeclaration): string {
  const options = [
    ...(readOnly === undefined ? [] : [readOnly ? "ro" : "rw"]),
    ...(relabel === undefined ? [] : [relabel === "shared" ? "z" : "Z"]),
  ];
  return [source, target, ...(options.length > 0 ? [options.join(",")] : [])].join(":");
}

/** The same mount from an absolute path, so that it means the same wherever the server is started next. */
export function resolveSource(
  declaration: MountDeclaration,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): MountDeclaration {
  const { source } = declaration;
  const { isAbsolute, resolve } = platform === "win32" ? win32 : posix;
  // On Windows a path that begins with a slash is of the drive where the caller is.
  const isWhole = WINDOWS_PATH.test(source) || (platform !== "win32" && isAbsolute(source));
  return isWhole ? declaration : { ...declaration, source: resolve(folder, source) };
}

/** `a:/b` is the folder `a`, but on Windows, a drive; `a:/b:/c` and `a:\b` begin with a drive. */
function splitSource(text: string, isWindows: boolean): { source: string; rest: string[] } {
  const [first = "", second = "", ...others] = text.split(":");
  const hasDrive =
    WINDOWS_PATH.test(text) && (isWindows || second.startsWith("\\") || others.some((part) => part.startsWith("/")));
  if (hasDrive) return { source: `${first}:${second}`, rest: others };
  return { source: first, rest: text.includes(":") ? [second, ...others] : [] };
}

function cleanPosix(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}
