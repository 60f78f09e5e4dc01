import { createServer } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Children } from "./children.mjs";
import { Servers } from "./servers.mjs";

let children = new Children();

beforeEach(() => {
  children = new Children();
});

afterEach(() => children.stopAll());

/** A port that was free a moment ago. */
async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

function start(name: string, source: string) {
  return children.start(name, process.execPath, ["--eval", source], { cwd: process.cwd() });
}

const serving = (port: number) =>
  `require("node:http").createServer((_, response) => response.end("ready")).listen(${port}, "127.0.0.1")`;

test("a server is waited for, can be replaced, and its unwanted end is a failure with its name", async () => {
  const servers = new Servers();
  const port = await findPort();
  const url = `http://127.0.0.1:${port}/`;
  const first = start("The first server", serving(port));

  expect(await servers.add(first, url)).toEqual({ status: 200, body: "ready" });

  await servers.stop(first);
  const second = start("The second server", serving(port));
  await servers.add(second, url);
  second.process.kill("SIGKILL");

  await expect(servers.firstDeath).rejects.toThrow("The second server ended with SIGKILL");
});

test("a server that ends before it answers is a failure with what it wrote", async () => {
  const servers = new Servers();
  const child = start("The site's server", `console.error("no disk"); process.exit(3)`);

  await expect(servers.add(child, `http://127.0.0.1:${await findPort()}/`)).rejects.toThrow(
    /The site's server ended with code 3 before it answered\.\nno disk/,
  );
});
