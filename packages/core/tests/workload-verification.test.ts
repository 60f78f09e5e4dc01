import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { WorkloadSupervisor } from "../src/supervision/workload-supervisor.ts";
import { answeringServer } from "../src/testing/fake-server.ts";
import { TestImageRegistry } from "../src/testing/test-image-registry.ts";
import { PROVENANCE, TestSigstore } from "../src/testing/test-sigstore.ts";
import { catchErrorCode, readStatus, World } from "../src/testing/world.ts";
import type { CreateRequest } from "../src/workload/create-request-schema.ts";

const DIGEST = `sha256:${"a1".repeat(32)}`;

let sigstore: TestSigstore;
let directory: string;
let images: TestImageRegistry;
let image: string;
let proven: string;
let world: World;
let supervisor: WorkloadSupervisor;

beforeAll(async () => {
  sigstore = await TestSigstore.create();
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-verification-"));
  images = await TestImageRegistry.start();
  image = `${images.host}/acme/weather:1`;
  proven = `${images.host}/acme/weather@${DIGEST}`;
  world = new World();
  world.trustedRootPath = join(directory, "trusted_root.json");
  await writeFile(world.trustedRootPath, sigstore.trustedRoot);
  world.engine.registry.set(image, answeringServer);
  world.engine.digests.set(image, [proven]);
  world.registry.set("weather", {
    name: "weather",
    description: "Tells the weather of tomorrow.",
    image,
    tier: "Community",
    status: "Active",
    transport: "stdio",
    tools: ["forecast"],
    provenance: PROVENANCE,
  });
  ({ supervisor } = await world.boot());
});

afterEach(async () => {
  await supervisor.close({ keepContainers: false });
  await images[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
  expect(world.bugs).toEqual([]);
});

async function settle(changes: Partial<CreateRequest> = {}): Promise<void> {
  await supervisor.create({ image: "weather", name: "mine", ...changes });
  await vi.waitFor(() => expect(readStatus(supervisor, "mine")).toMatch(/^(?:running|error)$/), { timeout: 20_000 });
}

describe("a workload that insists on a proof", () => {
  const insisting = { image_verification: "enabled" } as const;

  test("runs from the digest that was proven, so that a newer image of that tag does not slip in", async () => {
    images.addBundle(DIGEST, await sigstore.attest(DIGEST));

    await settle(insisting);

    expect(supervisor.describe("mine")).toMatchObject({ status: "running", statusContext: "", package: image });
    expect(world.engine.find("mine")?.spec.image).toBe(proven);
    expect(world.config("mine")).toMatchObject({ image_verification: "enabled", provenance: PROVENANCE });
  });

  test.each([
    ["there is no proof", async () => undefined],
    [
      "somebody else signed",
      async () =>
        void images.addBundle(
          DIGEST,
          await sigstore.attest(DIGEST, { repositoryUri: "https://github.com/evil/weather" }),
        ),
    ],
    [
      "the trust root cannot be had",
      async () => {
        images.addBundle(DIGEST, await sigstore.attest(DIGEST));
        await rm(world.trustedRootPath);
      },
    ],
  ])("is not started when %s", async (_why, prepare) => {
    await prepare();

    await settle(insisting);

    expect(catchErrorCode(supervisor, "mine")).toBe("IMAGE_NOT_VERIFIED");
    expect(world.containers).toEqual([]);
  });

  test("is not even pulled when nothing says who has to have signed its image", async () => {
    await settle({ ...insisting, image });

    expect(catchErrorCode(supervisor, "mine")).toBe("IMAGE_NOT_VERIFIED");
    expect(world.engine.calls).not.toContain("pullImage");
  });

  test("is not started when its entry names an authority, and no signer", async () => {
    images.addBundle(DIGEST, await sigstore.attest(DIGEST));

    await settle({ ...insisting, provenance: { cert_issuer: PROVENANCE.cert_issuer } });

    expect(supervisor.describe("mine").statusContext).toContain("does not name a signer");
    expect(world.containers).toEqual([]);
  });
});

describe("a workload of which nothing else was said", () => {
  test("runs without a proof, and says so, also after a restart", async () => {
    const warning = expect.stringContaining("its image registry holds no proof of origin for it");

    await settle();
    expect(supervisor.describe("mine")).toMatchObject({ status: "running", statusContext: warning });
    await (await supervisor.restart("mine")).done;

    expect(supervisor.describe("mine")).toMatchObject({ status: "running", statusContext: warning });
  });

  test("runs from a digest that was proven", async () => {
    images.addSignature(DIGEST, await sigstore.cosign(DIGEST));

    await settle();

    expect(supervisor.describe("mine")).toMatchObject({ status: "running", statusContext: "" });
    expect(world.engine.find("mine")?.spec.image).toBe(proven);
  });

  test("says nothing about an image of which no origin is named", async () => {
    await settle({ image });

    expect(supervisor.describe("mine")).toMatchObject({ status: "running", statusContext: "" });
    expect(world.engine.calls).not.toContain("imageDigests");
  });
});

test("a workload with disabled verification runs without a request for its proofs", async () => {
  await settle({ image_verification: "disabled" });

  expect(supervisor.describe("mine")).toMatchObject({ status: "running", statusContext: "" });
  expect(world.engine.calls).not.toContain("imageDigests");
});

describe("a workload whose image must have a digest", () => {
  const plain = (digest: string, more: Partial<CreateRequest> = {}) => settle({ image, image_digest: digest, ...more });
  const pulls = () => world.engine.calls.filter((call) => call === "pullImage").length;

  test("runs when it has that one", async () => {
    await plain(DIGEST);

    expect(supervisor.describe("mine")).toMatchObject({ status: "running" });
    expect(world.config("mine")).toMatchObject({ image_digest: DIGEST });
  });

  test("does not start when it has another one, and names both", async () => {
    const wanted = `sha256:${"b2".repeat(32)}`;

    await plain(wanted);

    expect(catchErrorCode(supervisor, "mine")).toBe("IMAGE_NOT_VERIFIED");
    expect(supervisor.describe("mine").statusContext).toContain(`has ${DIGEST}, and ${wanted} is wanted`);
    expect(world.containers).toEqual([]);
  });

  test("pulls an image that the engine has with another digest, unless it may not", async () => {
    world.engine.images.set(image, answeringServer);
    const wanted = `sha256:${"b2".repeat(32)}`;

    await plain(wanted);
    expect(pulls()).toBe(1);
    await (await supervisor.delete("mine")).done;

    await plain(wanted, { pull_policy: "never" });
    expect(pulls()).toBe(1);
    expect(catchErrorCode(supervisor, "mine")).toBe("IMAGE_NOT_VERIFIED");
  });
});
