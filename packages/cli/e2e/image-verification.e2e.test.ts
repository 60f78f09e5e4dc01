/** Images in an image registry of this machine, with proofs of origin of a Sigstore of our own beside them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type StoredImage, TestImageRegistry } from "@toolhive/core/testing";
import { PROVENANCE, TestSigstore } from "@toolhive/core/testing/sigstore";
import {
  describeEngines,
  ENGINES_FOR_LOCAL_IMAGES,
  readStoredImage,
  runThv,
  type TestEngine,
  ThrowawayHome,
} from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

describeEngines("an image whose origin has to be proven on $kind", ENGINES_FOR_LOCAL_IMAGES, (engine) => {
  const digests = {} as Record<"attested" | "signed" | "forged" | "replaced" | "bent", string>;
  let images: TestImageRegistry;
  let home: ThrowawayHome;

  // All share their layers, which are pulled once.
  beforeAll(async () => {
    const sigstore = await TestSigstore.create();
    const stored = await readStoredImage("toolhive-test/echo:test");
    images = await TestImageRegistry.start();
    for (const tag of ["attested", "signed", "forged", "replaced", "bent"] as const) {
      digests[tag] = await images.addImage(tag, labelled(stored, tag));
    }
    const signature = await sigstore.cosign(digests.signed);
    images.addBundle(digests.attested, await sigstore.attest(digests.attested));
    images.addBundle(digests.replaced, await sigstore.attest(digests.replaced));
    images.addSignature(digests.signed, signature);
    images.addSignature(digests.forged, signature);
    await images.addImage("replaced", labelled(stored, "another"));
    const bent = images.content.get(`manifests/${digests.bent}`) ?? "";
    images.content.set(`manifests/${digests.bent}`, bent.replace("{", "{ "));

    home = await ThrowawayHome.create();
    await writeFile(join(home.workDirectory, "trusted_root.json"), sigstore.trustedRoot);
    const references = {
      attested: ":attested",
      signed: `@${digests.signed}`,
      forged: ":forged",
      replaced: ":replaced",
      bent: `@${digests.bent}`,
    };
    const servers = Object.entries(references).map(([name, reference]) => [
      name,
      {
        image: `${repository()}${reference}`,
        description: "Tells the weather of tomorrow.",
        tier: "Community",
        status: "Active",
        transport: "stdio",
        tools: ["echo"],
        provenance: PROVENANCE,
      },
    ]);
    const registry = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: Object.fromEntries(servers) };
    await writeFile(join(home.workDirectory, "registry.json"), JSON.stringify(registry));
    expect(await thv("config", "set-registry-url", "registry.json")).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    await removeImages(engine, repository());
    await images[Symbol.asyncDispose]();
  });

  const repository = () => `${images.host}/acme/weather`;
  const thv = (...args: string[]) =>
    runThv(args, {
      home,
      engine,
      env: { TOOLHIVE_SIGSTORE_TRUSTED_ROOT: join(home.workDirectory, "trusted_root.json") },
    });
  const runProven = (name: string) => thv("run", "--image-verification", "enabled", name);

  test.each([
    ["attested", "by its tag, from the digest that an attestation is for"],
    ["signed", "by its digest, which cosign has signed"],
  ] as const)("%s: runs %s", async (name, _how) => {
    const proven = `${repository()}@${digests[name]}`;

    const { code, stderr } = await runProven(name);

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("cannot be verified") });
    const { stdout } = await engine.cli(["image", "inspect", proven]);
    const [image] = JSON.parse(stdout) as { Id: string; RepoDigests: string[] }[];
    expect(image?.RepoDigests).toContain(proven);
    const container = await engine.cli(["inspect", "--format", "{{.Image}}", name]);
    expect(container.stdout.trim()).toBe(image?.Id);
  });

  test("is refused when its tag leads to another image than the one that was signed, and no container is made", async () => {
    const { code, stderr } = await runProven("replaced");

    expect([code, stderr]).toEqual([19, expect.stringContaining("its image registry holds no proof of origin for it")]);
    expect((await engine.cli(["inspect", "replaced"])).code).not.toBe(0);
  });

  test("is refused with the signature of another image beside it", async () => {
    const { code, stderr } = await runProven("forged");

    const reason = `the signature is for another image than ${digests.forged}`;
    expect([code, stderr]).toEqual([19, expect.stringContaining(reason)]);
  });

  test("is not pulled at all when other bytes are served than its digest says", async () => {
    const { code, stderr } = await runProven("bent");

    expect([code, stderr]).toEqual([3, expect.stringContaining("cannot be pulled")]);
  });

  test("runs without a proof when nothing else is asked for, with a warning that names it", async () => {
    const { code, stderr } = await thv("run", "--name", "warned", "replaced");

    const warning = `The origin of the image "${repository()}:replaced" cannot be verified`;
    expect([code, stderr]).toEqual([0, expect.stringContaining(warning)]);
  });
});

/** The same image with a label of its own, and so with its own digest. */
function labelled({ config, layers }: StoredImage, label: string): StoredImage {
  const parsed = JSON.parse(config) as { config: { Labels: Record<string, string> } };
  parsed.config.Labels.variant = label;
  return { config: JSON.stringify(parsed), layers };
}

async function removeImages(engine: TestEngine, repository: string): Promise<void> {
  const { stdout } = await engine.cli(["images", "--quiet", "--no-trunc", repository]);
  const ids = [...new Set(stdout.split("\n").filter((line) => line !== ""))];
  if (ids.length > 0) await engine.cli(["rmi", "--force", ...ids]);
}
