/** Who signed an image, from the certificate of the signature, and whether the registry entry names that signer. */
import type { Provenance } from "../registry/registry-schema.ts";

/** What a certificate of Fulcio says. https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
export interface SignerIdentity {
  /** The workflow with its Git reference, or an e-mail address. */
  readonly subject: string;
  readonly issuer: string | undefined;
  readonly repositoryUri: string | undefined;
  readonly repositoryRef: string | undefined;
  readonly runnerEnvironment: string | undefined;
}

interface Extension {
  readonly oid?: { readonly id: readonly number[] } | undefined;
  readonly value: Uint8Array;
}

const ISSUER = "1.3.6.1.4.1.57264.1.8";
const LEGACY_ISSUER = "1.3.6.1.4.1.57264.1.1";
const RUNNER_ENVIRONMENT = "1.3.6.1.4.1.57264.1.11";
const REPOSITORY_URI = "1.3.6.1.4.1.57264.1.12";
const REPOSITORY_REF = "1.3.6.1.4.1.57264.1.14";

export function readSignerIdentity(subject: string, extensions: readonly Extension[]): SignerIdentity {
  const find = (oid: string) => extensions.find((extension) => extension.oid?.id.join(".") === oid)?.value;
  const legacyIssuer = find(LEGACY_ISSUER);
  return {
    subject,
    issuer: readUtf8String(find(ISSUER)) ?? (legacyIssuer && Buffer.from(legacyIssuer).toString("utf8")),
    repositoryUri: readUtf8String(find(REPOSITORY_URI)),
    repositoryRef: readUtf8String(find(REPOSITORY_REF)),
    runnerEnvironment: readUtf8String(find(RUNNER_ENVIRONMENT)),
  };
}

/**
 * Whether it is specific enough to distinguish one signer from all others who may sign with Sigstore, which is open to everybody.
 */
export function namesSigner({ signer_identity, repository_uri }: Provenance): boolean {
  return Boolean(signer_identity || repository_uri);
}

/** Every way in which the signer is not the one that is named; members that are empty are not compared. */
export function listSignerDifferences(expected: Provenance, actual: SignerIdentity): string[] {
  const { signer_identity, cert_issuer, repository_uri, repository_ref, runner_environment } = expected;
  const compared = [
    ["cert_issuer", cert_issuer, actual.issuer],
    ["repository_uri", repository_uri, actual.repositoryUri],
    ["repository_ref", repository_ref, actual.repositoryRef],
    ["runner_environment", runner_environment, actual.runnerEnvironment],
  ] as const;
  return [
    ...(signer_identity && !isSigner(signer_identity, expected, actual)
      ? [describeDifference("signer_identity", signer_identity, actual.subject)]
      : []),
    ...compared.flatMap(([name, wanted, found]) =>
      wanted && wanted !== found ? [describeDifference(name, wanted, found)] : [],
    ),
  ];
}

/** A workflow is named by its path in the repository, with or without the repository, with or without its Git reference. */
function isSigner(wanted: string, { repository_uri }: Provenance, { subject, repositoryUri }: SignerIdentity): boolean {
  const repository = repository_uri || repositoryUri;
  const whole = wanted.startsWith("/") && repository !== undefined ? `${repository}${wanted}` : wanted;
  const refAt = subject.lastIndexOf("@");
  // The reference of a workflow is a whole one, so that an e-mail address is not taken for one with its host.
  const withoutRef = subject.slice(refAt).startsWith("@refs/") ? subject.slice(0, refAt) : subject;
  return whole === subject || whole === withoutRef;
}

function describeDifference(name: string, wanted: string, found: string | undefined): string {
  return `${name} is "${found ?? ""}" and should be "${wanted}"`;
}

/** A DER UTF8String of up to 65535 bytes. */
function readUtf8String(value: Uint8Array | undefined): string | undefined {
  if (value?.[0] !== 0x0c) return undefined;
  const length = value[1] ?? 0;
  const from = length < 0x80 ? 2 : 2 + (length & 0x7f);
  return Buffer.from(value.subarray(from)).toString("utf8");
}
