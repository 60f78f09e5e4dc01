import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Provenance } from "../registry/registry-schema.ts";
import { TestImageRegistry } from "../testing/test-image-registry.ts";
import { PROVENANCE, TestSigstore } from "../testing/test-sigstore.ts";
import { verifyImage } from "./verify-image.ts";

const DIGEST = `sha256:${"a1".repeat(32)}`;
const OTHER_DIGEST = `sha256:${"b2".repeat(32)}`;

let directory: string;
let trustedRootPath: string;
let sigstore: TestSigstore;
let registry: TestImageRegistry;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-sigstore-"));
  trustedRootPath = join(directory, "trusted_root.json");
  sigstore = await TestSigstore.create();
  await writeFile(trustedRootPath, sigstore.trustedRoot);
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

beforeEach(async () => {
  registry = await TestImageRegistry.start();
});

afterEach(async () => {
  await registry[Symbol.asyncDispose]();
});

interface Choices {
  readonly provenance?: Provenance;
  readonly digests?: readonly string[];
  readonly rootPath?: string;
}

async function verify({ provenance = PROVENANCE, digests, rootPath = trustedRootPath }: Choices = {}): Promise<string> {
  const repository = `${registry.host}/acme/weather`;
  return await verifyImage(
    { image: `${repository}:1`, digests: digests ?? [`${repository}@${DIGEST}`], provenance },
    { trustedRootPath: rootPath, cacheDirectory: directory, signal: new AbortController().signal },
  );
}

async function catchFailure(choices: Choices = {}): Promise<string> {
  const error: unknown = await verify(choices).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "IMAGE_NOT_VERIFIED" });
  return error instanceof Error ? error.message : "";
}

describe("an image", () => {
  test("is proven by an attestation that refers to it", async () => {
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    expect(await verify()).toBe(`${registry.host}/acme/weather@${DIGEST}`);
  });

  test("is proven by an attestation in the list under its tag, where the registry knows no referrers", async () => {
    registry.hasReferrers = false;
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    expect(await verify()).toContain(DIGEST);
  });

  test("is proven by a signature of cosign", async () => {
    registry.addSignature(DIGEST, await sigstore.cosign(DIGEST));

    expect(await verify()).toContain(DIGEST);
  });

  test("is proven when the registry wants an anonymous token first", async () => {
    registry.wantsToken = true;
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    expect(await verify()).toContain(DIGEST);
  });

  test("is proven when a true proof lies beside a false one", async () => {
    registry.addBundle(DIGEST, { mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json" });
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    expect(await verify()).toContain(DIGEST);
  });

  test("is not proven without any proof", async () => {
    expect(await catchFailure()).toContain("its image registry holds no proof of origin for it");
  });

  test("is not proven when it was not pulled from that repository", async () => {
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    const digests = [`${registry.host}/acme/other@${DIGEST}`];
    expect(await catchFailure({ digests })).toContain("it was not pulled from an image registry");
  });

  test("is not proven by a true attestation of another image", async () => {
    registry.addBundle(DIGEST, await sigstore.attest(OTHER_DIGEST));

    expect(await catchFailure()).toContain(`the signature is for another image than ${DIGEST}`);
  });

  test("is not proven by a true cosign signature of another image", async () => {
    registry.addSignature(DIGEST, await sigstore.cosign(OTHER_DIGEST));

    expect(await catchFailure()).toContain(`the signature is for another image than ${DIGEST}`);
  });

  test("is not proven by what another authority signed", async () => {
    const stranger = await TestSigstore.create();
    registry.addBundle(DIGEST, await stranger.attest(DIGEST));
    registry.addSignature(DIGEST, await stranger.cosign(DIGEST));

    expect(await catchFailure()).toContain("a signature is not valid");
  });

  test("is not proven when the statement was changed after it was signed", async () => {
    const bundle = await sigstore.attest(OTHER_DIGEST);
    const forged = await sigstore.attest(DIGEST);
    const dsseEnvelope = { ...bundle.dsseEnvelope, payload: forged.dsseEnvelope.payload };
    registry.addBundle(DIGEST, { ...bundle, dsseEnvelope });

    expect(await catchFailure()).toContain("a signature is not valid");
  });

  test("is not proven when the transparency log does not hold the signature", async () => {
    const bundle = await sigstore.attest(DIGEST);
    const verificationMaterial = { ...bundle.verificationMaterial, tlogEntries: [] };
    registry.addBundle(DIGEST, { ...bundle, verificationMaterial });

    expect(await catchFailure()).toContain("a signature is not valid");
  });

  test("is not proven when the registry serves other bytes than the digest says", async () => {
    const key = registry.addBundle(DIGEST, await sigstore.attest(DIGEST));
    registry.content.set(key, JSON.stringify(await sigstore.attest(DIGEST)));

    expect(await catchFailure()).toContain("has the digest sha256:");
  });

  test("is not proven when the image registry fails", async () => {
    registry.failsWith = 503;

    expect(await catchFailure()).toContain("answered with status 503");
  });

  test("is not proven when the trust root cannot be had", async () => {
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    const rootPath = join(directory, "absent.json");
    expect(await catchFailure({ rootPath })).toContain(`the trust root ${rootPath} is not available`);
  });

  test("is not proven with the root of a host that nobody vouches for", async () => {
    const provenance = { ...PROVENANCE, sigstore_url: "root.invalid" };

    expect(await catchFailure({ provenance, rootPath: "" })).toContain("the trust root root.invalid is not available");
  });
});

describe("a signer", () => {
  test.each([
    ["cert_issuer", { issuer: "https://issuer.test" }],
    ["repository_uri", { repositoryUri: "https://github.com/acme/other" }],
    ["repository_ref", { repositoryRef: "refs/heads/main" }],
    ["runner_environment", { runnerEnvironment: "self-hosted" }],
    ["signer_identity", { subject: "https://github.com/evil/weather/.github/workflows/release.yml@refs/tags/v1.0.0" }],
  ] as const)("whose %s is another one proves nothing", async (member, signer) => {
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST, signer));

    expect(await catchFailure()).toContain(`${member} is "${Object.values(signer)[0]}" and should be "`);
  });

  test.each([
    "https://github.com/acme/weather/.github/workflows/release.yml",
    "https://github.com/acme/weather/.github/workflows/release.yml@refs/tags/v1.0.0",
  ])("may be named as %s", async (signer_identity) => {
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    expect(await verify({ provenance: { signer_identity } })).toContain(DIGEST);
  });

  test("is not one whose name it only begins with", async () => {
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    const provenance = { signer_identity: "https://github.com/acme/weather/.github/workflows/release" };
    expect(await catchFailure({ provenance })).toContain("signer_identity is");
  });
});

describe("an entry that asks for an attestation", () => {
  const attestation = { predicate_type: "https://slsa.dev/provenance/v1", predicate: { runner: "test" } };

  test("is content with one of that type and content", async () => {
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    expect(await verify({ provenance: { ...PROVENANCE, attestation } })).toContain(DIGEST);
  });

  test("is not content with a mere signature", async () => {
    registry.addSignature(DIGEST, await sigstore.cosign(DIGEST));

    expect(await catchFailure({ provenance: { ...PROVENANCE, attestation } })).toContain(
      "not an attestation of the type",
    );
  });

  test("is not content with another predicate", async () => {
    registry.addBundle(DIGEST, await sigstore.attest(DIGEST));

    const provenance = { ...PROVENANCE, attestation: { ...attestation, predicate: { runner: "other" } } };
    expect(await catchFailure({ provenance })).toContain("says something else than the entry");
  });
});
