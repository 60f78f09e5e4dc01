/** What a registry may serve that is no project, or a bad one. */
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  listRequests,
  pull,
  registry,
  startRegistry,
  stopRegistry,
  TEXT,
  TYPE,
} from "../../testing/shared-projects.ts";
import { parseSharedReference } from "./shared-reference.ts";

beforeEach(startRegistry);
afterEach(stopRegistry);

describe("a registry that serves what it should not", () => {
  const layer = (title: string, content: string | Buffer = TEXT, more: object = {}) => ({
    mediaType: `${TYPE}+yaml`,
    digest: registry.addBlob(content),
    size: Buffer.byteLength(content),
    annotations: { "org.opencontainers.image.title": title },
    ...more,
  });
  const serve = (layers: readonly unknown[], more: object = {}) =>
    registry.addManifest("1", { schemaVersion: 2, artifactType: TYPE, config: {}, layers, ...more });
  const second = (title: string, more: object = {}) => layer(title, "x", { mediaType: `${TYPE}.file`, ...more });

  test.each([
    "../thv.yaml",
    "/etc/passwd",
    "a/../../b",
    "C:\\thv.yaml",
    "a\\b",
    ".envrc",
    ".git/hooks/pre-commit",
    "a//b",
    "con.yaml",
    "thv.yaml.",
    "thv\n.yaml",
    "thv\u202e.yaml",
    "~/thv.yaml",
    "-rf",
    "",
    "a".repeat(300),
  ])("a file that is called %j is refused", async (title) => {
    serve([layer(title)]);

    await expect(pull()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(listRequests(/blobs/)).toEqual([]);
  });

  test.each<[string, () => unknown[]]>([
    ["another type of layer", () => [layer("thv.yaml"), second("policies/read.yaml", { mediaType: "a/tar" })]],
    ["two project files", () => [layer("thv.yaml"), layer("other.yaml")]],
    ["no project file", () => [second("policies/read.yaml")]],
    ["two files of one name", () => [layer("thv.yaml"), second("THV.yaml")]],
    ["a file in the place of a folder", () => [layer("thv.yaml"), second("policies"), second("policies/read.yaml")]],
    ["a file that is not named", () => [layer("thv.yaml"), second("Makefile")]],
    ["a foreign digest", () => [layer("thv.yaml", TEXT, { digest: `sha512:${"0".repeat(128)}` })]],
    ["a file that is too large", () => [layer("thv.yaml", TEXT, { size: 2 ** 30 })]],
    ["a size below zero", () => [layer("thv.yaml", TEXT, { size: -1 })]],
    ["a size that is not the file's", () => [layer("thv.yaml", TEXT, { size: TEXT.length + 1 })]],
    ["a file that is longer than it says", () => [layer("thv.yaml", TEXT, { size: TEXT.length - 1 })]],
    ["bytes that are no text", () => [layer("thv.yaml", Buffer.from([0xff, 0xfe, 0xc0]))]],
    ["too many files", () => Array.from({ length: 40 }, (_, index) => second(`f${index}`))],
    ["nothing", () => []],
    ["a layer that is no object", () => [null]],
  ])("%s is refused", async (_name, createLayers) => {
    serve(createLayers());

    await expect(pull()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("another manifest than the digest says is refused", async () => {
    const digest = serve([layer("thv.yaml")]);
    registry.manifests.set(digest, Buffer.from(JSON.stringify({ artifactType: TYPE })));

    await expect(pull(parseSharedReference(`oci://${registry.host}/acme/tools@${digest}`))).rejects.toThrow(
      `what is served as ${digest} has the digest`,
    );
  });

  test("another file than the digest says is refused", async () => {
    const { digest } = layer("thv.yaml");
    serve([layer("thv.yaml")]);
    registry.blobs.set(digest, Buffer.from(TEXT.replace("echo:1", "evil:1")));

    await expect(pull()).rejects.toThrow(`what is served as ${digest} has the digest`);
  });

  test.each([
    ["an image", { schemaVersion: 2, config: {}, layers: [] }],
    ["an index", { schemaVersion: 2, manifests: [] }],
    ["text", "hello"],
    ["nothing", ""],
    ["a list", []],
  ])("%s is no project", async (_name, manifest) => {
    registry.addManifest("1", manifest);

    await expect(pull()).rejects.toThrow("it is something else than a project file");
  });

  test("a manifest without an end is cut off", async () => {
    registry.fault = ({ object }) =>
      object === "manifests/1"
        ? (response) => {
            const more = () => {
              while (!response.destroyed && response.write(" ".repeat(16_384)));
            };
            response.on("drain", more);
            more();
          }
        : undefined;

    await expect(pull()).rejects.toThrow("is larger than 65536 bytes");
  });

  test("redirects without an end are refused, and so is one to another place without https", async () => {
    serve([layer("thv.yaml")]);
    const redirect = (to: string) => () => (response: ServerResponse) => {
      response.writeHead(307, { Location: to }).end();
    };
    registry.fault = redirect(`http://${registry.host}/v2/acme/tools/manifests/1`);
    await expect(pull()).rejects.toThrow("redirects without an end");

    registry.fault = redirect("http://192.0.2.1/");
    await expect(pull()).rejects.toThrow("redirects to http://192.0.2.1, which is refused");
    registry.fault = redirect("file:///etc/passwd");
    await expect(pull()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("paths that begin at a folder are named", async () => {
    const text = 'servers:\n  a: { run: "go://./src", volumes: ["./maps:/data:ro", "/srv:/srv"] }\n';
    serve([layer("thv.yaml", text)]);

    expect((await pull()).left.map(({ member, path }) => `${member} ${path}`)).toEqual([
      "servers.a.volumes maps",
      "servers.a.run ./src",
    ]);
  });
});
