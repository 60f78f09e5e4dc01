/** Reads what a TLS connection to an engine needs, and words its failures. */
import { ThvError } from "@toolhive/core";
import { describeReadFailure, readBoundedText } from "@toolhive/core/bounded-file";
import type { TlsFiles } from "./engine-address.ts";

export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized: boolean;
}

/** @throws {ThvError} `INVALID_ARGUMENT` naming the file that cannot be read. */
export async function readTlsOptions({ skipsVerification, ...files }: TlsFiles): Promise<TlsOptions> {
  const read = async (name: "ca" | "cert" | "key") => {
    const path = files[name];
    if (path === undefined) return {};
    try {
      return { [name]: await readBoundedText(path) };
    } catch (error) {
      const reason = describeReadFailure(error);
      throw new ThvError(
        "INVALID_ARGUMENT",
        `The TLS file ${path} of the container engine cannot be used: ${reason}.`,
        {
          hint: "Put ca.pem, cert.pem and key.pem there, or unset DOCKER_TLS_VERIFY if the engine needs no TLS.",
          cause: error,
        },
      );
    }
  };
  return {
    ...(await read("ca")),
    ...(await read("cert")),
    ...(await read("key")),
    rejectUnauthorized: !skipsVerification,
  };
}

/** Half sentences, by the code of OpenSSL or Node.js. */
const REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not signed by the configured authority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not signed by the configured authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not signed by the configured authority",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is not signed by the configured authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not signed by the configured authority",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  EPROTO: "it does not speak TLS as expected",
};

/** @returns `undefined` for a failure that has nothing to do with TLS. */
export function createTlsError(code: string | undefined, where: string, cause: Error): ThvError | undefined {
  const reason =
    REASONS[code ?? ""] ?? (code?.startsWith("ERR_SSL_") || code?.startsWith("ERR_OSSL_") ? cause.message : undefined);
  if (reason === undefined) return undefined;
  return new ThvError("ENGINE_UNREACHABLE", `The container engine at ${where} cannot be trusted: ${reason}.`, {
    hint: "Check the engine's certificate, and ca.pem, cert.pem and key.pem in DOCKER_CERT_PATH or in the Docker context.",
    cause,
  });
}
