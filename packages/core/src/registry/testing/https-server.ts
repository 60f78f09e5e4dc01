/**
 * An HTTPS server on loopback for tests, with a certificate that nobody else trusts. Made with
 * `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
 * -subj "/CN=loopback test only" -addext "subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost"`.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { listen } from "@toolhive/http";

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMIZuBHrBampRvbRO
qHvxSKnx4nFQ9aHNwrZ/kHnFMtChRANCAARvTJkbaa1YLLYsM1bMyhwfLUHtWUSx
7KBQlX54quh7Ec7CQafbTp2e9O7hG2nlfm913utBm32QLKrINUNLMz+A
-----END PRIVATE KEY-----`;

/** What a client has to trust. */
export const TEST_CA = `-----BEGIN CERTIFICATE-----
MIIBvzCCAWagAwIBAgIURbrMU0mr/6Z73zO56WD/YWq6lJAwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSbG9vcGJhY2sgdGVzdCBvbmx5MCAXDTI2MTEyMDEyNTUxM1oY
DzIxMjYxMDI3MTI1NTEzWjAdMRswGQYDVQQDDBJsb29wYmFjayB0ZXN0IG9ubHkw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARvTJkbaa1YLLYsM1bMyhwfLUHtWUSx
7KBQlX54quh7Ec7CQafbTp2e9O7hG2nlfm913utBm32QLKrINUNLMz+Ao4GBMH8w
HQYDVR0OBBYEFD2kO42jJjfLrfuQDsDHzlaBb4GKMB8GA1UdIwQYMBaAFD2kO42j
JjfLrfuQDsDHzlaBb4GKMA8GA1UdEwEB/wQFMAMBAf8wLAYDVR0RBCUwI4cEfwAA
AYcQAAAAAAAAAAAAAAAAAAAAAYIJbG9jYWxob3N0MAoGCCqGSM49BAMCA0cAMEQC
IH19WDahm/8hBSPbPvGJL26m+x6KpJAo7eZ3eXkf/T8OAiAayw1i6y0ojgJvm4i0
6BZJjy6wh7er6sF5T7ii+X23mQ==
-----END CERTIFICATE-----`;

export interface TestHttpsServer extends AsyncDisposable {
  /** For example `https://127.0.0.1:41234`. */
  readonly origin: string;
  /** Path and headers of each request, in order. */
  readonly requests: readonly IncomingMessage[];
}

export async function startHttpsServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestHttpsServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer({ key: KEY, cert: TEST_CA }, (request, response) => {
    requests.push(request);
    answer(request, response);
  });
  const port = await listen(server);
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { origin: `https://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: close };
}
