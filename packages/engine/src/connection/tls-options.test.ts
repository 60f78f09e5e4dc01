import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DockerEngine } from "../docker-engine.ts";
import { VERSION } from "../testing/fake-daemon.ts";
import type { TlsFiles } from "./engine-address.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

let directory: string;
const file = (name: string) => join(directory, name);
const read = (name: string) => readFileSync(file(name));

function openssl(...args: string[]): void {
  execFileSync("openssl", args, { cwd: directory, stdio: "ignore" });
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

function makeAuthority(name: string): void {
  openssl(
    "req",
    "-x509",
    ...KEY,
    "-keyout",
    `${name}.key`,
    "-out",
    `${name}.pem`,
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
  );
}

function makeCertificate(name: string, { host = "IP:127.0.0.1", days = "2" } = {}): void {
  writeFileSync(file(`${name}.ext`), `subjectAltName=${host}\n`);
  openssl("req", ...KEY, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", `${name}.ext`, "-days", days];
  openssl("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.pem`, ...signed);
}

beforeAll(() => {
  if (!hasOpenssl) return;
  directory = mkdtempSync(join(tmpdir(), "thv-tls-"));
  makeAuthority("ca");
  makeAuthority("other-ca");
  makeCertificate("here");
  makeCertificate("elsewhere", { host: "DNS:build.example.com" });
  makeCertificate("expired", { days: "-1" });
  makeCertificate("client", { host: "DNS:client" });
});
afterAll(() => {
  if (hasOpenssl) rmSync(directory, { recursive: true });
});

/** Answers as an engine does, to clients with a certificate of the authority only. */
async function withEngine(options: ServerOptions | "plain", use: (port: number) => Promise<void>): Promise<void> {
  const answer = (_request: unknown, response: { end(text: string): void }) => response.end(JSON.stringify(VERSION));
  const server: Server =
    options === "plain"
      ? (createPlainServer(answer) as unknown as Server)
      : createServer({ ca: read("ca.pem"), requestCert: true, rejectUnauthorized: true, ...options }, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const identity = () => ({ cert: file("client.pem"), key: file("client.key") });
const certificate = (name: string) => ({ key: read(`${name}.key`), cert: read(`${name}.pem`) });

const connect = (port: number, tls: TlsFiles) => DockerEngine.connect({ kind: "tcp", host: "127.0.0.1", port, tls });

describe.skipIf(!hasOpenssl)("an engine behind TLS (needs openssl)", () => {
  test("is reached with a client's certificate", async () => {
    await withEngine(certificate("here"), async (port) => {
      const engine = await connect(port, { ca: file("ca.pem"), ...identity(), skipsVerification: false });

      expect(engine.info).toMatchObject({ version: VERSION.Version, address: `tcp://127.0.0.1:${port}` });
    });
  });

  test.each<[string, string, Partial<TlsFiles>, RegExp]>([
    ["another host's certificate", "elsewhere", {}, /its certificate is for another host/],
    ["an expired certificate", "expired", {}, /its certificate has expired/],
    ["a certificate of another authority", "here", { ca: "other-ca.pem" }, /is not signed by the configured authority/],
  ])("with %s is refused, and the reason named", async (_what, name, { ca = "ca.pem" }, reason) => {
    await withEngine(certificate(name), async (port) => {
      await expect(connect(port, { ca: file(ca), ...identity(), skipsVerification: false })).rejects.toMatchObject({
        code: "ENGINE_UNREACHABLE",
        message: expect.stringMatching(reason),
        hint: expect.stringContaining("DOCKER_CERT_PATH"),
      });
    });
  });

  test("is reached whatever its certificate, when the check is turned off", async () => {
    await withEngine(certificate("elsewhere"), async (port) => {
      await expect(connect(port, { ...identity(), skipsVerification: true })).resolves.toBeInstanceOf(DockerEngine);
    });
  });

  test("refuses a client without a certificate, and that is an error of the engine", async () => {
    await withEngine(certificate("here"), async (port) => {
      await expect(connect(port, { ca: file("ca.pem"), skipsVerification: false })).rejects.toMatchObject({
        code: expect.stringMatching(/^ENGINE_/),
      });
    });
  });

  test("at a port without TLS is named as such", async () => {
    await withEngine("plain", async (port) => {
      await expect(connect(port, { ca: file("ca.pem"), skipsVerification: false })).rejects.toMatchObject({
        code: "ENGINE_UNREACHABLE",
        message: expect.stringContaining("does not speak TLS"),
      });
    });
  });
});

test("a TLS file that is not there is named", async () => {
  await expect(connect(1, { ca: "/nonexistent/ca.pem", skipsVerification: false })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "The TLS file /nonexistent/ca.pem of the container engine cannot be used: it cannot be read (ENOENT).",
  });
});
