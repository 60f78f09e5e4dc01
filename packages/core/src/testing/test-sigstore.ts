/** A Sigstore of our own: a certificate authority, its two logs, the trust root for them, and proofs that it issues. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { initializeCA, initializeTLog } from "@sigstore/mock";

const REPOSITORY = "https://github.com/acme/weather";
const WORKFLOW = "/.github/workflows/release.yml";

/** Who signs. */
export interface TestSigner {
  readonly subject: string;
  readonly issuer: string;
  readonly repositoryUri: string;
  readonly repositoryRef: string;
  readonly runnerEnvironment: string;
}

export const SIGNER: TestSigner = {
  subject: `${REPOSITORY}${WORKFLOW}@refs/tags/v1.0.0`,
  issuer: "https://token.actions.githubusercontent.com",
  repositoryUri: REPOSITORY,
  repositoryRef: "refs/tags/v1.0.0",
  runnerEnvironment: "github-hosted",
};

/** What a registry entry says of that signer. */
export const PROVENANCE = {
  cert_issuer: SIGNER.issuer,
  repository_uri: REPOSITORY,
  repository_ref: SIGNER.repositoryRef,
  runner_environment: SIGNER.runnerEnvironment,
  signer_identity: WORKFLOW,
} as const;

const IN_TOTO = "application/vnd.in-toto+json";
const P256 = { namedCurve: "P-256" } as const;

interface LoggedEntry {
  readonly body: string;
  readonly integratedTime: number;
  readonly logID: string;
  readonly logIndex: number;
  readonly verification: {
    readonly signedEntryTimestamp: string;
    readonly inclusionProof: {
      readonly checkpoint: string;
      readonly hashes: readonly string[];
      readonly logIndex: number;
      readonly rootHash: string;
      readonly treeSize: number;
    };
  };
}

type CertificateAuthority = Awaited<ReturnType<typeof initializeCA>>;
type TransparencyLog = Awaited<ReturnType<typeof initializeTLog>>;

export class TestSigstore {
  /** `trusted_root.json`. */
  readonly trustedRoot: string;
  readonly #ca: CertificateAuthority;
  readonly #tlog: TransparencyLog;

  private constructor(ca: CertificateAuthority, tlog: TransparencyLog, ctlogKey: Buffer) {
    this.#ca = ca;
    this.#tlog = tlog;
    this.trustedRoot = trustedRoot(ca.rootCertificate, tlog.publicKey, ctlogKey);
  }

  static async create(): Promise<TestSigstore> {
    const ctlogKeys = generateKeyPairSync("ec", P256);
    const ctlogKey = ctlogKeys.publicKey.export({ format: "der", type: "spki" });
    const ctlog = certificateLog(ctlogKey, ctlogKeys.privateKey);
    const ca = await initializeCA(generateKeyPairSync("ec", { namedCurve: "P-384" }), ctlog);
    const tlog = await initializeTLog("https://rekor.test", generateKeyPairSync("ec", P256));
    return new TestSigstore(ca, tlog, ctlogKey);
  }

  /** A bundle with an in-toto statement about an image, as GitHub's attestations are. */
  async attest(digest: string, signer: Partial<TestSigner> = {}, predicateType = "https://slsa.dev/provenance/v1") {
    const { certificate, privateKey } = await this.#certify({ ...SIGNER, ...signer });
    const statement = {
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: "image", digest: { sha256: digest.replace("sha256:", "") } }],
      predicateType,
      predicate: { runner: "test" },
    };
    const payload = Buffer.from(JSON.stringify(statement));
    const encoded = Buffer.from(`DSSEv1 ${IN_TOTO.length} ${IN_TOTO} ${payload.length} ${payload}`);
    const sig = sign("sha256", encoded, privateKey).toString("base64");
    const entry = await this.#log({
      kind: "dsse",
      apiVersion: "0.0.1",
      spec: {
        payloadHash: { algorithm: "sha256", value: sha256(payload).toString("hex") },
        signatures: [{ signature: sig, verifier: certificate.toString("base64") }],
      },
    });
    const { checkpoint, hashes, logIndex, rootHash, treeSize } = entry.verification.inclusionProof;
    return {
      mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
      verificationMaterial: {
        certificate: { rawBytes: certificate.toString("base64") },
        tlogEntries: [
          {
            logIndex: String(entry.logIndex),
            logId: { keyId: Buffer.from(entry.logID, "hex").toString("base64") },
            kindVersion: { kind: "dsse", version: "0.0.1" },
            integratedTime: String(entry.integratedTime),
            inclusionPromise: { signedEntryTimestamp: entry.verification.signedEntryTimestamp },
            inclusionProof: {
              logIndex: String(logIndex),
              rootHash: Buffer.from(rootHash, "hex").toString("base64"),
              treeSize: String(treeSize),
              hashes: hashes.map((hash) => Buffer.from(hash, "hex").toString("base64")),
              checkpoint: { envelope: checkpoint },
            },
            canonicalizedBody: entry.body,
          },
        ],
      },
      dsseEnvelope: { payload: payload.toString("base64"), payloadType: IN_TOTO, signatures: [{ sig, keyid: "" }] },
    };
  }

  /** A signature as cosign stores it: what is signed, and the annotations beside it. */
  async cosign(digest: string, signer: Partial<TestSigner> = {}) {
    const { certificate, privateKey } = await this.#certify({ ...SIGNER, ...signer });
    const payload = JSON.stringify({ critical: { image: { "docker-manifest-digest": digest } }, optional: null });
    const signature = sign("sha256", Buffer.from(payload), privateKey).toString("base64");
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`;
    const { verification, ...Payload } = await this.#log({
      kind: "hashedrekord",
      apiVersion: "0.0.1",
      spec: {
        data: { hash: { algorithm: "sha256", value: sha256(Buffer.from(payload)).toString("hex") } },
        signature: { content: signature, publicKey: { content: Buffer.from(pem).toString("base64") } },
      },
    });
    const bundle = { SignedEntryTimestamp: verification.signedEntryTimestamp, Payload };
    return {
      payload,
      annotations: {
        "dev.cosignproject.cosign/signature": signature,
        "dev.sigstore.cosign/certificate": pem,
        "dev.sigstore.cosign/bundle": JSON.stringify(bundle),
      },
    };
  }

  async #certify(signer: TestSigner) {
    const { publicKey, privateKey } = generateKeyPairSync("ec", P256);
    const certificate = await this.#ca.issueCertificate({
      publicKey: publicKey.export({ format: "der", type: "spki" }),
      subjectAltName: signer.subject,
      extensions: [
        { oid: "1.3.6.1.4.1.57264.1.8", value: signer.issuer },
        { oid: "1.3.6.1.4.1.57264.1.11", value: signer.runnerEnvironment },
        { oid: "1.3.6.1.4.1.57264.1.12", value: signer.repositoryUri },
        { oid: "1.3.6.1.4.1.57264.1.14", value: signer.repositoryRef },
      ],
    });
    return { certificate, privateKey };
  }

  async #log(entry: object): Promise<LoggedEntry> {
    const [logged] = Object.values(await this.#tlog.log(entry)) as LoggedEntry[];
    if (!logged) throw new Error("the log gave no entry");
    return logged;
  }
}

/** The mock's own writes receipts without a signature with the pkijs of today. RFC 6962, 3.2 */
function certificateLog(publicKey: Buffer, privateKey: KeyObject) {
  const logID = sha256(publicKey);
  return {
    publicKey,
    logID,
    log: async (certificate: ArrayBuffer, issuerID: ArrayBuffer): Promise<ArrayBuffer> => {
      const der = Buffer.from(certificate);
      // Both sequences are between 256 bytes and 64 kB, so that their headers have four bytes.
      const toBeSigned = der.subarray(4, 8 + der.readUInt16BE(6));
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(Date.now()));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(toBeSigned.length);
      const none = Buffer.from([0, 0]);
      const signed = [none, time, Buffer.from([0, 1]), Buffer.from(issuerID), length.subarray(1), toBeSigned, none];
      const signature = sign("sha256", Buffer.concat(signed), privateKey);
      const receipt = [Buffer.from([0]), logID, time, none, Buffer.from([4, 3, 0, signature.length]), signature];
      const bytes = Buffer.concat(receipt);
      return Uint8Array.from([0, bytes.length, ...bytes]).buffer;
    },
  };
}

function trustedRoot(certificate: Buffer, tlogKey: Buffer, ctlogKey: Buffer): string {
  const validFor = { start: new Date(Date.now() - 3_600_000).toISOString() };
  const log = (key: Buffer) => ({
    baseUrl: "https://rekor.test",
    hashAlgorithm: "SHA2_256",
    publicKey: { rawBytes: key.toString("base64"), keyDetails: "PKIX_ECDSA_P256_SHA_256", validFor },
    logId: { keyId: sha256(key).toString("base64") },
  });
  return JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [log(tlogKey)],
    ctlogs: [log(ctlogKey)],
    timestampAuthorities: [],
    certificateAuthorities: [
      {
        subject: { organization: "sigstore.mock", commonName: "sigstore" },
        uri: "https://fulcio.test",
        certChain: { certificates: [{ rawBytes: certificate.toString("base64") }] },
        validFor,
      },
    ],
  });
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}
