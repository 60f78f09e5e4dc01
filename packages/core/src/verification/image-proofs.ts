/**
 * The proofs of origin that an image registry holds for an image: Sigstore bundles that refer to it, and the signatures of
 * cosign, which are written as bundles here.
 * https://github.com/sigstore/cosign/blob/main/specs/BUNDLE_SPEC.md, https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
 */
import { parseJson } from "@toolhive/http/values";
import * as Type from "typebox";
import { Check } from "typebox/schema";
import type { RepositoryClient } from "../image-registry/repository-client.ts";

/** Proofs that are checked; anybody who may write to the repository can add some. */
const MAX_PROOFS = 20;
const BUNDLE_TYPE = /^application\/vnd\.dev\.sigstore\.bundle(?:\.v|[+.;]|$)/;
const COSIGN_TYPE = "application/vnd.dev.cosign.simplesigning.v1+json";

export interface ImageProof {
  /** A Sigstore bundle in JSON; not checked in any way. */
  readonly bundle: unknown;
  /** What is signed, where the bundle does not hold it itself. */
  readonly payload?: Buffer;
}

const IndexSchema = Type.Object({
  manifests: Type.Array(Type.Object({ digest: Type.String(), artifactType: Type.Optional(Type.String()) })),
});
const ManifestSchema = Type.Object({
  artifactType: Type.Optional(Type.String()),
  layers: Type.Array(
    Type.Object({
      digest: Type.String(),
      mediaType: Type.String(),
      annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
    }),
  ),
});
const RekorBundleSchema = Type.Object({
  SignedEntryTimestamp: Type.String(),
  Payload: Type.Object({
    body: Type.String(),
    integratedTime: Type.Integer(),
    logIndex: Type.Integer(),
    logID: Type.String(),
  }),
});
const RekorBodySchema = Type.Object({ kind: Type.String(), apiVersion: Type.String() });

/** @param digest `sha256:…`. @throws When the image registry cannot be read. */
export async function listProofs(reader: RepositoryClient, digest: string): Promise<ImageProof[]> {
  const tag = digest.replace(":", "-");
  const index = parseWith(IndexSchema, (await reader.findReferrers(digest)) ?? (await reader.findManifest(tag)));
  const manifests = (index?.manifests ?? []).filter(
    ({ artifactType }) => artifactType === undefined || BUNDLE_TYPE.test(artifactType),
  );
  const proofs: ImageProof[] = [];
  for (const manifest of manifests.slice(0, MAX_PROOFS)) {
    const layers = parseWith(ManifestSchema, await reader.findManifest(manifest.digest))?.layers ?? [];
    const layer = layers.find(({ mediaType }) => BUNDLE_TYPE.test(mediaType));
    if (layer) proofs.push({ bundle: parseJson(String(await reader.getBlob(layer.digest))) });
  }
  const signatures = parseWith(ManifestSchema, await reader.findManifest(`${tag}.sig`))?.layers ?? [];
  for (const { mediaType, annotations = {}, digest: payload } of signatures.slice(0, MAX_PROOFS - proofs.length)) {
    const bundle = mediaType === COSIGN_TYPE ? buildCosignBundle(annotations, payload) : undefined;
    if (bundle) proofs.push({ bundle, payload: await reader.getBlob(payload) });
  }
  return proofs;
}

/** @returns `undefined` for a signature without certificate or transparency log. */
function buildCosignBundle(annotations: Readonly<Record<string, string>>, payloadDigest: string): unknown {
  const certificate = annotations["dev.sigstore.cosign/certificate"];
  const signature = annotations["dev.cosignproject.cosign/signature"];
  const entry = parseWith(RekorBundleSchema, parseJson(annotations["dev.sigstore.cosign/bundle"] ?? ""));
  const body =
    entry && parseWith(RekorBodySchema, parseJson(Buffer.from(entry.Payload.body, "base64").toString("utf8")));
  if (certificate === undefined || signature === undefined || !entry || !body) return undefined;
  const { integratedTime, logIndex, logID } = entry.Payload;
  return {
    mediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1",
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: certificate.replace(/-----[^-]+-----|\s/g, "") }] },
      tlogEntries: [
        {
          logIndex: String(logIndex),
          logId: { keyId: Buffer.from(logID, "hex").toString("base64") },
          kindVersion: { kind: body.kind, version: body.apiVersion },
          integratedTime: String(integratedTime),
          inclusionPromise: { signedEntryTimestamp: entry.SignedEntryTimestamp },
          canonicalizedBody: entry.Payload.body,
        },
      ],
    },
    messageSignature: {
      messageDigest: {
        algorithm: "SHA2_256",
        digest: Buffer.from(payloadDigest.replace("sha256:", ""), "hex").toString("base64"),
      },
      signature,
    },
  };
}

/** What others wrote: anything that has not the expected form is as if it were not there. */
function parseWith<T extends Type.TSchema>(schema: T, value: unknown): Type.Static<T> | undefined {
  return Check(schema, value) ? value : undefined;
}
