/**
 * A session bus with GNOME's keyring on it, as a desktop has: the Secret Service for one throwaway home. Its processes
 * carry the home in their environment and end with it.
 */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { runCommand, type ThrowawayHome } from "@toolhive/testing";

const PROGRAMS = ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"];

/** Whether Debian's packages dbus, gnome-keyring and libsecret-tools are here. */
export function hasSecretService(): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return PROGRAMS.every((program) => folders.some((folder) => isExecutable(join(folder, program))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not in this folder
  }
}

/** @returns What programs of this session have in their environment. */
export async function startSessionBus(home: ThrowawayHome): Promise<{ DBUS_SESSION_BUS_ADDRESS: string }> {
  const bus = spawn("dbus-daemon", ["--session", "--nofork", "--print-address"], {
    env: home.env(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const line of createInterface({ input: bus.stdout })) return { DBUS_SESSION_BUS_ADDRESS: line };
  throw new Error("dbus-daemon ended without an address");
}

/** Signs in: makes the login collection, or opens it. @throws When the keyring does not start. */
export async function unlockKeyring(home: ThrowawayHome, session: Record<string, string>): Promise<void> {
  const { code, stderr } = await runCommand("gnome-keyring-daemon", ["--unlock", "--components=secrets"], {
    env: { ...home.env(), ...session },
    input: "sign-in",
  });
  if (code !== 0) throw new Error(`gnome-keyring-daemon ended with ${code}: ${stderr}`);
}

/** What the keyring holds for thv, asked for by a program that is not ours; empty when there is nothing. */
export async function storedPassword(home: ThrowawayHome, session: Record<string, string>): Promise<string> {
  const attributes = ["service", "toolhive", "username", "toolhive"];
  const { stdout } = await runCommand("secret-tool", ["lookup", ...attributes], { env: { ...home.env(), ...session } });
  return stdout;
}
