import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestIssuer } from "@toolhive/core/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { awaitIssuer } from "./await-issuer.ts";

const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-issuer-"));
  await writeFile(join(folder, "termination"), "");
});
afterEach(async () => await rm(folder, { recursive: true }));

const wait = async (config: object, signal = new AbortController().signal) =>
  await awaitIssuer(config, { log, signal, patienceMs: 0, terminationFile: join(folder, "termination") });
const readReason = async () => await readFile(join(folder, "termination"), "utf8");

test("an issuer that answers is all that is waited for", async () => {
  await using issuer = await TestIssuer.start();

  await wait({ Issuer: issuer.url, AllowPrivateIP: true });

  expect(await readReason()).toBe("");
});

test("an issuer that does not answer is written down as the reason", async () => {
  await using issuer = await TestIssuer.start();
  issuer.instead.set("/keys", { status: 500, text: "" });

  await expect(wait({ Issuer: issuer.url, AllowPrivateIP: true })).rejects.toMatchObject({
    code: "ISSUER_UNAVAILABLE",
  });

  expect(await readReason()).toMatch(/^IssuerUnavailable: .*\/keys cannot be used: the answer has status 500/);
});

test("a setting that is wrong is not tried again, and is the reason with its next step", async () => {
  await expect(wait({ Issuer: "http://issuer.test" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });

  expect(await readReason()).toMatch(/^IssuerRefused: .*must begin with https:\/\/.* Without encryption/);
});

test("a proxy that ends meanwhile waits no longer", async () => {
  await expect(wait({ Issuer: "http://issuer.test" }, AbortSignal.abort())).resolves.toBeUndefined();
});
