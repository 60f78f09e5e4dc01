/**
 * Which user a server runs as. A server has no capabilities, so even its root may use only files that belong to root: where
 * folders are mounted, it runs as somebody who may use them, and what it creates belongs to that user.
 * See docs/decisions/0018-who-a-server-runs-as.md.
 */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import type { ContainerEngine, ContainerMount, UserMapping } from "../../ports/container-engine.ts";
import { listMounts } from "../../workload/mounts.ts";
import type { RunConfig } from "../../workload/run-config.ts";

/** Of the supervisor's process. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups; `gid` may be among them. */
  readonly groups: readonly number[];
}

/** A mounted file or folder of this machine, and what the supervisor's user may do with it. */
export interface MountedSource extends ContainerMount {
  readonly uid: number;
  readonly gid: number;
  readonly canRead: boolean;
  readonly canWrite: boolean;
}

export interface ContainerUser {
  /** `UID` or `UID:GID`. Absent: the user that the image names. */
  readonly id?: string;
  /** Supplementary groups, as numbers. */
  readonly groups: readonly string[];
  /** The user and the reason, for people, without a full stop. */
  readonly description: string;
  /** One sentence for each mounted folder that the server cannot use as it was mounted. */
  readonly warnings: readonly string[];
}

interface Choice {
  /** What the run configuration names. */
  readonly asked: string | undefined;
  readonly sources: readonly MountedSource[];
  readonly mapping: UserMapping;
  /** Absent on systems without user ids. */
  readonly me: ProcessUser | undefined;
  /** Whose group the engine's socket is. */
  readonly socketGid?: number | undefined;
}

const IMAGE_USER = "the image's own";

/** Decides from its input alone. */
export function chooseContainerUser({ asked, sources, mapping, me, socketGid }: Choice): ContainerUser {
  if (asked !== undefined) return { id: asked, groups: [], description: `${asked}, as asked for`, warnings: [] };
  if (sources.length === 0) return createImageUser(IMAGE_USER);
  if (mapping === "virtual-machine" || me === undefined) {
    return createImageUser(`${IMAGE_USER}; the engine's virtual machine gives its files to you`);
  }
  if (mapping === "shifted") {
    const reason =
      "The engine gives containers user ids of their own (userns-remap), so that the server is another user";
    return { ...createImageUser(IMAGE_USER), warnings: [`${reason}: let everybody use the mounted folders.`] };
  }
  if (mapping === "engine-user") {
    const description = "0, which outside of the container is the user who started the engine";
    return { id: "0:0", groups: [], description, warnings: describeUnusable(sources) };
  }
  return me.uid === 0 ? chooseForRoot(sources) : chooseForUser(me, sources, socketGid);
}

/** Reads who owns the mounted folders and how the engine maps users, then decides. */
export async function findContainerUser(
  engine: ContainerEngine,
  config: Pick<RunConfig, "user" | "volumes" | "permission_profile">,
): Promise<ContainerUser> {
  const mounts = listMounts(config);
  const asked = config.user;
  const isDecided = asked !== undefined || mounts.length === 0 || engine.info.isRemote;
  if (isDecided) return chooseContainerUser({ asked, sources: [], mapping: "same", me: undefined });
  const [mapping, sources, socket] = await Promise.all([
    engine.readUserMapping(),
    Promise.all(mounts.map(readSource)),
    stat(engine.info.address).catch(() => undefined), // an address that is no path has no group
  ]);
  return chooseContainerUser({
    asked,
    sources: sources.flat(),
    mapping,
    me: readProcessUser(),
    socketGid: socket?.gid,
  });
}

function readProcessUser(): ProcessUser | undefined {
  const { getuid, getgid, getgroups } = process;
  if (!getuid || !getgid || !getgroups) return undefined;
  return { uid: getuid.call(process), gid: getgid.call(process), groups: getgroups.call(process) };
}

function createImageUser(description: string): ContainerUser {
  return { groups: [], description, warnings: [] };
}

function chooseForUser(
  { uid, gid, groups }: ProcessUser,
  sources: readonly MountedSource[],
  socketGid: number | undefined,
): ContainerUser {
  // Members of the group of the engine's socket control the machine. A server has no use for it unless it gets that socket.
  const isUseful = (group: number) => group !== socketGid || sources.some((source) => source.gid === group);
  return {
    id: `${uid}:${gid}`,
    groups: groups.filter((group) => group !== gid && isUseful(group)).map(String),
    description: `${uid}:${gid}, which is you, because folders are mounted`,
    warnings: describeUnusable(sources),
  };
}

/** Root without capabilities is a user like any other: folders of one user are used as that user. */
function chooseForRoot(sources: readonly MountedSource[]): ContainerUser {
  const written = sources.filter(({ readOnly }) => !readOnly);
  const [first, ...others] = written.length > 0 ? written : sources;
  const isOneOwner = first !== undefined && others.every(({ uid }) => uid === first.uid);
  if (isOneOwner && first.uid !== 0) {
    const id = `${first.uid}:${first.gid}`;
    const foreign = sources.filter(({ uid }) => uid !== first.uid);
    const description = `${id}, who owns the mounted folders`;
    return { id, groups: [], description, warnings: foreign.map((source) => describeForeign(source, id)) };
  }
  const foreign = sources.filter(({ uid }) => uid !== 0);
  return {
    // An image that steps down from root is not raised to it again.
    ...createImageUser(`${IMAGE_USER}; unless that is root, it may do with your folders what everybody may`),
    warnings: foreign.map((source) => describeForeign(source, "root or whom the image names")),
  };
}

function describeForeign({ source, uid, gid }: MountedSource, who: string): string {
  return `"${source}" belongs to user ${uid}, and the server runs as ${who}, without the right to ignore owners. If it cannot use it, run it as the owner: --user ${uid}:${gid}`;
}

function describeUnusable(sources: readonly MountedSource[]): string[] {
  return sources.flatMap(({ source, uid, readOnly, canRead, canWrite }) => {
    if (!canRead) return [`You may not read "${source}", which belongs to user ${uid}, so the server cannot either.`];
    if (canWrite || readOnly) return [];
    return [
      `You may not write "${source}", which belongs to user ${uid}, so the server cannot either. Mount it with :ro, or change who may write it.`,
    ];
  });
}

/** @returns Nothing for a missing one: the engine refuses it by name. */
async function readSource(mount: ContainerMount): Promise<MountedSource[]> {
  const file = await stat(mount.source).catch(() => undefined);
  if (file === undefined) return [];
  const enter = file.isDirectory() ? constants.X_OK : 0;
  // The kernel's answer counts access lists and the rules of shares.
  const may = (mode: number) =>
    access(mount.source, mode | enter).then(
      () => true,
      () => false,
    );
  const [canRead, canWrite] = await Promise.all([may(constants.R_OK), may(constants.W_OK)]);
  return [{ ...mount, uid: file.uid, gid: file.gid, canRead, canWrite }];
}
