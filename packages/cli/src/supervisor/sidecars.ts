/** What the supervisor makes network sidecars of. */
import { SidecarImage, ThvError } from "@toolhive/core";
import type { CommandContext } from "../command-line/command.ts";

/** The sidecar's program as text, put in by the build. */
declare const THV_SIDECAR: string;

export function openSidecars({ env }: Pick<CommandContext, "env">) {
  const program = typeof THV_SIDECAR === "string" ? THV_SIDECAR : "";
  return { image: new SidecarImage({ env, program }), hosts: parseHosts(env.TOOLHIVE_SIDECAR_HOSTS ?? "") };
}

/** `name=address`, separated by commas: hosts that only the hosts file of this machine knows. @throws {ThvError} `CONFIG_INVALID`. */
function parseHosts(text: string): Record<string, string> {
  const items = text.split(",").filter((item) => item.trim() !== "");
  return Object.fromEntries(
    items.map((item) => {
      const [, name, address] = /^\s*([A-Za-z0-9._-]+)=(\d{1,3}(?:\.\d{1,3}){3})\s*$/.exec(item) ?? [];
      if (name !== undefined && address !== undefined) return [name, address];
      throw new ThvError("CONFIG_INVALID", `TOOLHIVE_SIDECAR_HOSTS holds "${item}", which is not NAME=IPV4_ADDRESS.`);
    }),
  );
}
