/** A folder with a project file, and a supervisor with secrets that it may name. */
import { realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { answeringServer } from "@toolhive/core/testing";
import { ServedThv } from "./served-thv.ts";

export let thv: ServedThv;

export let home: string;

/** To be called before each test. */
export async function startWithProject(): Promise<void> {
  thv = await ServedThv.start();
  home = await realpath(thv.home);
  thv.served.world.engine.registry.set("mcp/echo:2", answeringServer);
  thv.served.world.secrets.set("github-token", "hunter2");
  thv.served.world.secrets.set("other-token", "hunter3");
}

/** To be called after each test. */
export async function stopWithProject(): Promise<void> {
  await thv[Symbol.asyncDispose]();
}

export const placeFile = (name: string) => join(home, name);

export const write = async (text: string, name = "thv.yaml") => await writeFile(placeFile(name), text);

export const up = async (...more: readonly string[]) =>
  await thv.call(["up", "--file", placeFile("thv.yaml"), ...more]);

export const answerUp = async (typed: string) =>
  await thv.call(["up", "--file", placeFile("thv.yaml")], { isTty: true, answers: [["Allow it", typed]] });

export const names = async () =>
  (JSON.parse((await thv.call(["list", "--all", "--format", "json"])).stdout) as { name: string }[]).map(
    ({ name }) => name,
  );

export const server = (members: string) => `servers:\n  first: { run: "mcp/echo:1"${members} }\n`;

export const WITH_SECRET = server(", secrets: { TOKEN: github-token }");

/** As a registry has it. */
export const createEchoEntry = (image: string) => ({
  name: "echo",
  image,
  description: "Says what it hears.",
  tier: "Community" as const,
  status: "Active" as const,
  transport: "stdio" as const,
  tools: ["echo"],
});
