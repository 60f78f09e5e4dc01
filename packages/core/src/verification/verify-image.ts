/**
 * Whether an image comes from where its registry entry says: the proofs that its image registry holds for exactly this
 * digest, their signatures, the transparency log, and who signed.
 */
import { isDeepStrictEqual } from "node:util";
import { type Bundle, bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import { parseJson } from "@toolhive/http/values";
import { parseImageSource } from "../image-registry/image-source.ts";
import { RepositoryClient } from "../image-registry/repository-client.ts";
import type { Provenance } from "../registry/registry-schema.ts";
import { describeError, ThvError } from "../support/errors.ts";
import { IMAGE_PROOF_TIMEOUT_MS } from "../support/supervision-limits.ts";
import { startTimeout } from "../support/timeout-signal.ts";
import { type ImageProof, listProofs } from "./image-proofs.ts";
import { listSignerDifferences, readSignerIdentity } from "./signer.ts";
import { loadTrustRoot, type TrustRootOptions } from "./trust-root.ts";

export interface ImageToVerify {
  readonly image: string;
  /** `repository@sha256:…`, as the engine knows the image that is here. */
  readonly digests: readonly string[];
  readonly provenance: Provenance;
}

/**
 * @returns The image by the digest that was proven, `repository@sha256:…`.
 * @throws {ThvError} `IMAGE_NOT_VERIFIED` saying why.
 */
export async function verifyImage(
  { image, digests, provenance }: ImageToVerify,
  options: TrustRootOptions & { readonly signal: AbortSignal },
): Promise<string> {
  const source = parseImageSource(image);
  const ours = digests.filter((item) => isDeepStrictEqual(parseImageSource(item), source));
  if (ours.length === 0)
    throw createNotVerifiedError(image, "it was not pulled from an image registry, so nothing vouches for it");
  const timeout = startTimeout(IMAGE_PROOF_TIMEOUT_MS);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    const root = toTrustMaterial(await raceSignal(loadTrustRoot(provenance.sigstore_url, options), signal));
    const verifier = new Verifier(root);
    const reader = new RepositoryClient(source, { signal });
    const reasons: string[] = [];
    for (const item of ours) {
      const digest = item.slice(item.indexOf("@") + 1);
      for (const proof of await listProofs(reader, digest)) {
        const problems = listProofProblems(proof, { digest, provenance, verifier });
        if (problems.length === 0) return item;
        reasons.push(problems.join(", "));
      }
    }
    const all = [...new Set(reasons)].join("; ");
    throw createNotVerifiedError(image, all === "" ? "its image registry holds no proof of origin for it" : all);
  } catch (error) {
    if (error instanceof ThvError || options.signal.aborted) throw error;
    const reason = timeout.aborted
      ? `no complete answer within ${IMAGE_PROOF_TIMEOUT_MS / 1000} s`
      : describeProofFailure(error);
    throw createNotVerifiedError(image, reason, error);
  }
}

interface Expectation {
  readonly digest: string;
  readonly provenance: Provenance;
  readonly verifier: Verifier;
}

/** Why the proof does not prove it; empty when it does. */
function listProofProblems({ bundle, payload }: ImageProof, { digest, provenance, verifier }: Expectation): string[] {
  try {
    const parsed = bundleFromJSON(bundle);
    const { identity } = verifier.verify(toSignedEntity(parsed, payload));
    const signed = readSignedContent(parsed, payload);
    if (!signed?.digests.includes(digest)) return [`the signature is for another image than ${digest}`];
    const signer = readSignerIdentity(identity?.subjectAlternativeName ?? "", identity?.oids ?? []);
    return [...listSignerDifferences(provenance, signer), ...listAttestationProblems(provenance, signed)];
  } catch (error) {
    // Whatever the bundle makes the verifier throw: it proves nothing.
    return [`a signature is not valid: ${describeError(error)}`];
  }
}

interface SignedContent {
  readonly digests: readonly string[];
  readonly predicateType?: unknown;
  readonly predicate?: unknown;
}

/** The image that the signed bytes name. @returns `undefined` when they name none. */
function readSignedContent({ content }: Bundle, payload: Buffer | undefined): SignedContent | undefined {
  if (content.$case === "messageSignature") {
    const simple = parseJson(String(payload ?? "")) as
      | { critical?: { image?: { "docker-manifest-digest"?: string } } }
      | undefined;
    const digest = simple?.critical?.image?.["docker-manifest-digest"];
    return typeof digest === "string" ? { digests: [digest] } : undefined;
  }
  const { payloadType, payload: text } = content.dsseEnvelope;
  if (payloadType !== "application/vnd.in-toto+json") return undefined;
  const { subject = [], ...statement } = parseJson(String(text)) as SignedContent & {
    subject?: readonly { digest?: { sha256?: string } }[];
  };
  return { ...statement, digests: subject.map((item) => `sha256:${item.digest?.sha256}`) };
}

/** An entry may ask for a certain attestation, and for certain members of it. */
function listAttestationProblems({ attestation }: Provenance, { predicateType, predicate }: SignedContent): string[] {
  const { predicate_type: type, predicate: wanted } = attestation ?? {};
  if (type && type !== predicateType) return [`it is not an attestation of the type ${type}`];
  if (wanted === undefined || isDeepStrictEqual(wanted, predicate)) return [];
  return ["the attestation says something else than the entry"];
}

/** The library that fetches roots accepts no signal; its own deadlines end it. */
async function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

/** `fetch` hides the reason in its cause. */
function describeProofFailure(error: unknown): string {
  const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
  return describeError(cause) || "the connection broke";
}

function createNotVerifiedError(image: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("IMAGE_NOT_VERIFIED", `The origin of the image "${image}" cannot be verified: ${reason}.`, {
    hint: "If you trust it for another reason, run it with --image-verification=warn or disabled.",
    cause,
  });
}
