/** A project file goes through a real image registry from one home to another, whose servers then run. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeEngines, RealImageRegistry, runThv, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";

const FILE = "servers:\n  shared: { run: toolhive-test/echo:test, env: { UNITS: metric } }\n";
const obstacle = await RealImageRegistry.findObstacle();
const title = obstacle === undefined ? "" : `, not run: ${obstacle}`;

/** What `docker login` writes. */
async function signIn(home: ThrowawayHome, host: string, password: string): Promise<void> {
  await mkdir(join(home.path, ".docker"), { recursive: true });
  const auth = Buffer.from(`ann:${password}`).toString("base64");
  await writeFile(join(home.path, ".docker/config.json"), JSON.stringify({ auths: { [host]: { auth } } }));
}

const write = async (home: ThrowawayHome, text: string) => await writeFile(join(home.workDirectory, "thv.yaml"), text);

describeEngines("a project file at a real image registry, with $kind", { kinds: ["docker"] }, (engine) => {
  test.skipIf(obstacle !== undefined)(
    `is pushed by one, and runs at another, who is asked again when the tag names another one${title}`,
    async () => {
      await using registry = await RealImageRegistry.start();
      await using maker = await ThrowawayHome.create();
      await using user = await ThrowawayHome.create();
      const name = `oci://${registry.host}/acme/tools:1.0`;
      const thv = async (home: ThrowawayHome, ...args: string[]) => await runThv(args, { home, engine });
      await write(maker, FILE);

      const pushed = await thv(maker, "push", name, "--format", "json");
      expect(pushed.code, pushed.stderr).toBe(0);
      const { digest } = JSON.parse(pushed.stdout) as { digest: string };
      expect(JSON.parse((await thv(maker, "push", name, "--format", "json")).stdout)).toMatchObject({
        digest,
        sent: 0,
      });

      const refused = await thv(user, "up", name);
      expect([refused.code, refused.stderr]).toEqual([27, expect.stringContaining(`${name}@${digest}`)]);
      const up = await thv(user, "up", name, "--yes");
      expect(up.code, up.stderr).toBe(0);
      expect(up.stdout).toContain("shared is created: http://127.0.0.1:");
      expect((await thv(user, "up", name, "--check")).code).toBe(0);

      await write(maker, FILE.replace("metric", "imperial"));
      const replaced = await thv(maker, "push", name, "--format", "json");
      expect(JSON.parse(replaced.stdout)).toMatchObject({ replaced: digest, sent: 1 });
      const checked = await thv(user, "up", name, "--check");
      expect([checked.code, checked.stdout]).toEqual([26, expect.stringContaining("~ shared differs")]);
      expect((await thv(user, "up", name)).code).toBe(27);
      const pinned = `oci://${registry.host}/acme/tools@${digest}`;
      expect((await thv(user, "up", pinned, "--check")).code).toBe(0);
      expect((await thv(user, "up", name, "--yes")).stdout).toContain("shared is changed (env.UNITS)");

      const down = await thv(user, "down", `oci://${registry.host}/acme/tools`);
      expect([down.code, down.stdout]).toEqual([0, "shared is removed.\n"]);
    },
  );

  test.skipIf(obstacle !== undefined)(
    `is one of the two, and whole, when two people push in the same instant, and the other one can be had by its digest${title}`,
    async () => {
      await using registry = await RealImageRegistry.start();
      await using ann = await ThrowawayHome.create();
      await using bob = await ThrowawayHome.create();
      const name = `oci://${registry.host}/acme/tools:1.0`;
      const texts = { ann: FILE, bob: FILE.replace("metric", "imperial") };
      await write(ann, texts.ann);
      await write(bob, texts.bob);
      const push = async (home: ThrowawayHome) => await runThv(["push", name, "--format", "json"], { home, engine });

      const pushed = await Promise.all([push(ann), push(bob)]);

      // One that begins when the other has ended is refused, and replaces nothing.
      const done = pushed.filter(({ code }) => code === 0);
      expect([1, 2]).toContain(done.length);
      for (const { code, stderr } of pushed.filter((each) => each.code !== 0))
        expect([code, stderr]).toEqual([27, expect.stringContaining(name)]);
      const digests = done.map(({ stdout }) => (JSON.parse(stdout) as { digest: string }).digest);
      const pull = async (reference: string, folder: string) => {
        const { code, stdout, stderr } = await runThv(["pull", reference, folder, "--format", "json"], {
          home: ann,
          engine,
        });
        expect(code, stderr).toBe(0);
        const text = await readFile(join(ann.workDirectory, folder, "thv.yaml"), "utf8");
        return { digest: (JSON.parse(stdout) as { digest: string }).digest, text };
      };
      const now = await pull(name, "now");
      expect(digests).toContain(now.digest);
      expect(Object.values(texts)).toContain(now.text);
      for (const [index, digest] of digests.entries())
        expect(await pull(`oci://${registry.host}/acme/tools@${digest}`, `each-${index}`)).toMatchObject({ digest });
    },
  );

  test.skipIf(obstacle !== undefined)(`is private where the registry asks for a sign-in${title}`, async () => {
    await using registry = await RealImageRegistry.start({ asksForSignIn: true });
    await using home = await ThrowawayHome.create();
    const name = `oci://${registry.host}/acme/tools`;
    const thv = async (...args: string[]) => await runThv(args, { home, engine });
    await write(home, FILE);

    const without = await thv("push", name);
    expect([without.code, without.stderr]).toEqual([15, expect.stringContaining(`docker login ${registry.host}`)]);
    await signIn(home, registry.host, "wrong");
    expect((await thv("push", name)).code).toBe(15);
    await signIn(home, registry.host, "secret");
    const pushed = await thv("push", name);
    expect(pushed.code, pushed.stderr).toBe(0);

    const pulled = await thv("pull", name, "elsewhere");
    expect(pulled.code, pulled.stderr).toBe(0);
    expect(await readFile(join(home.workDirectory, "elsewhere/thv.yaml"), "utf8")).toBe(FILE);
    expect((await thv("pull", `${name}:absent`, "elsewhere")).code).toBe(3);
  });
});
