/**
 * The certificate that image builds and connections to remote servers trust besides the usual ones: of a proxy that opens TLS
 * connections, as companies have them. It is a setting, a path to a PEM file (api-behaviour 11.3).
 */
import { X509Certificate } from "node:crypto";
import { describeReadFailure, readBoundedText } from "../files/bounded-file.ts";
import { ThvError } from "../support/errors.ts";

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----\r?\n[A-Za-z0-9+/=\r\n]+-----END CERTIFICATE-----/g;

export interface CaCertificate {
  /** All certificates of the file and nothing else of it. */
  readonly pem: string;
  /** Whether every certificate may sign others; one that may not only suits the server it was issued to. */
  readonly isAuthority: boolean;
  /** Subject of the first certificate, in one line. */
  readonly subject: string;
}

/** @throws {ThvError} `INVALID_ARGUMENT` for a file that cannot be read or holds no certificate. */
export async function readCaCertificate(path: string): Promise<CaCertificate> {
  let text: string;
  try {
    text = await readBoundedText(path);
  } catch (error) {
    throw createInvalidError(path, describeReadFailure(error), error);
  }
  const blocks = text.match(PEM_CERTIFICATE) ?? [];
  const certificates = blocks.map((block) => parseCertificate(path, block));
  const [first] = certificates;
  if (!first) throw createInvalidError(path, "it holds no certificate in PEM form");
  return {
    pem: `${blocks.join("\n")}\n`,
    isAuthority: certificates.every(({ ca }) => ca),
    subject: first.subject.replaceAll("\n", ", "),
  };
}

function parseCertificate(path: string, block: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch (error) {
    throw createInvalidError(path, "a certificate in it cannot be understood", error);
  }
}

function createInvalidError(path: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("INVALID_ARGUMENT", `${path} cannot be used as a CA certificate: ${reason}.`, {
    hint: 'Give a file that begins with "-----BEGIN CERTIFICATE-----".',
    cause,
  });
}
