/** `thv import` of a command: as words after `--`, or as the text that instructions show. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
beforeAll(async () => {
  thv = await ServedThv.start();
});
afterAll(async () => await thv[Symbol.asyncDispose]());

const place = (name: string) => join(thv.home, name);

test("a command after -- becomes a project file, and its variables become secrets to store", async () => {
  const file = place("words.yaml");
  const command = ["docker", "run", "-i", "--rm", "-e", "API_KEY", "-v", "/srv/maps:/maps:ro", "mcp/weather"];

  const { code, stderr } = await thv.call(["import", "--file", file, "--", ...command]);

  expect(code).toBe(0);
  expect(stderr).toContain("Store these secrets, whose values are not in it:\n  thv secret set weather-api-key");
  await expect(readFile(file, "utf8")).resolves.toContain("run: mcp/weather\n");
});

test("a text of several commands becomes one, and names the lines that start no server", async () => {
  const [text, file] = [place("instructions.txt"), place("text.yaml")];
  await writeFile(text, "```\n$ docker pull mcp/a\n$ npx -y @acme/weather\n$ cd x && npx -y b\n```\n");

  const { code, stdout, stderr } = await thv.call(["import", text, "--file", file]);

  expect([code, stdout]).toEqual([0, `${file} lists weather.\n`]);
  expect(stderr).toContain("docker pull was left out: it starts no server.");
  expect(stderr).toContain('A line was left out: "&&" joins several commands');
});

test.each([
  [[], "thv import needs FILE."],
  [["mcp.json", "--", "npx", "x"], "thv import takes FILE or a command, not both."],
])("with %j it says what is missing", async (words, problem) => {
  const { code, stderr } = await thv.call(["import", ...words]);

  expect(code).toBe(64);
  expect(stderr).toContain(problem);
});

test("servers that are left out for one reason are named together, with the reason once", async () => {
  const local = (n: number) => [`local-${n}`, { url: `http://127.0.0.1:${4_000 + n}/mcp` }] as const;
  const locals = Array.from({ length: 11 }, (_, index) => local(index + 1));
  const names = locals.map(([name]) => name).join(", ");
  const odd = ["odd", { disabled: true, url: "https://odd.example.com/mcp" }] as const;
  const write = async (name: string, servers: readonly (readonly [string, object])[]) => {
    await writeFile(place(name), JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
    return await thv.call(["import", place(name), "--file", place(`${name}.yaml`)]);
  };

  const none = await write("none.json", [...locals, odd]);
  const some = await write("some.json", [...locals, odd, ["web", { url: "https://web.example.com/mcp" }]]);

  expect(none.code).toBe(2);
  for (const { stderr } of [none, some]) expect(stderr.match(/is an address of this machine/g)).toHaveLength(1);
  expect(none.stderr).toContain(`${names}: its url is an address of this machine`);
  expect(some.stderr).toContain(`${names} were left out: its url is an address of this machine`);
  expect(some.stderr).toMatch(/^odd was left out: .*/m);
});
