/** Projects pushed to and pulled from an image registry that fails, forges and redirects; it is one of the tests. */
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { listen } from "@toolhive/http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  access,
  home,
  listRequests,
  pull,
  refer,
  registry,
  startRegistry,
  stopRegistry,
  TEXT,
  TYPE,
  useAccess,
} from "../../testing/shared-projects.ts";
import type { SharedFile } from "./artifact.ts";
import { pullProject } from "./pull-project.ts";
import { pushProject } from "./push-project.ts";
import type { RegistryAccess } from "./registry-access.ts";
import { parseSharedReference } from "./shared-reference.ts";

beforeEach(startRegistry);
afterEach(stopRegistry);

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

const files = (text = TEXT): SharedFile[] => [
  { kind: "project", name: "thv.yaml", bytes: bytes(text) },
  { kind: "file", name: "policies/read.yaml", bytes: bytes("permit") },
];

const push = async (given = files(), replaces?: string) =>
  await pushProject({ reference: refer(), files: given, replaces }, access);

describe("a push and a pull", () => {
  test("give the same files, and the digest is that of the manifest", async () => {
    const { digest, sent } = await push();
    const pulled = await pull();

    expect(sent).toBe(3);
    expect(pulled).toMatchObject({ digest, name: "thv.yaml", text: TEXT, left: [] });
    expect(pulled.files.map(({ name, bytes: content }) => [name, Buffer.from(content).toString()])).toEqual([
      ["thv.yaml", TEXT],
      ["policies/read.yaml", "permit"],
    ]);
    expect((await pull(parseSharedReference(`oci://${registry.host}/acme/tools@${digest}`))).text).toBe(TEXT);
  });

  test("have an artifact as other programs write it: a type, an empty configuration, a title for each layer", async () => {
    await push();

    expect(JSON.parse(registry.manifests.get("1")?.toString() ?? "")).toMatchObject({
      schemaVersion: 2,
      artifactType: TYPE,
      config: { mediaType: "application/vnd.oci.empty.v1+json", size: 2 },
      layers: [
        { mediaType: `${TYPE}+yaml`, annotations: { "org.opencontainers.image.title": "thv.yaml" } },
        { mediaType: `${TYPE}.file`, annotations: { "org.opencontainers.image.title": "policies/read.yaml" } },
      ],
    });
  });

  test("a push without a change sends nothing, and one with a change only what is new", async () => {
    const { digest } = await push();
    registry.requests.length = 0;

    expect(await push()).toEqual({ digest, sent: 0 });
    expect(listRequests(/^(POST|PUT) /)).toEqual([]);
    expect(await push(files(`${TEXT}# changed\n`), digest)).toMatchObject({ sent: 1, before: digest });
  });
});

describe("a push over what is there", () => {
  test("of somebody else is refused, and the tag stays", async () => {
    const { digest } = await push();
    const changed = files(`${TEXT}# changed\n`);

    await expect(push(changed)).rejects.toMatchObject({ code: "NOT_CONFIRMED" });
    await expect(push(changed, `sha256:${"0".repeat(64)}`)).rejects.toMatchObject({ code: "NOT_CONFIRMED" });
    expect((await pull()).digest).toBe(digest);
    expect((await push(changed, "any")).before).toBe(digest);
  });

  test("that somebody else has pushed while the files were sent is refused", async () => {
    registry.fault = ({ method, object }) => {
      if (method === "PUT" && object.startsWith("blobs/uploads")) registry.addManifest("1", { artifactType: TYPE });
      return undefined;
    };

    await expect(push()).rejects.toMatchObject({ code: "NOT_CONFIRMED" });
    expect(listRequests(/^PUT manifests/)).toEqual([]);
  });

  test("is refused for an image, whatever the answer", async () => {
    registry.addManifest("1", { schemaVersion: 2, config: {}, layers: [] });

    await expect(push(files(), "any")).rejects.toThrow("is an image or another artifact, and no project");
  });
});

describe("a push that breaks in the middle", () => {
  test.each([
    ["the connection is cut", "cut", "IMAGE_REGISTRY_UNREACHABLE"],
    ["the registry fails", 503, "IMAGE_REGISTRY_UNREACHABLE"],
    ["the registry is full", 507, "IMAGE_REGISTRY_UNREACHABLE"],
    ["the quota is used up", 413, "IMAGE_REGISTRY_UNREACHABLE"],
    ["the sign-in ends", 401, "IMAGE_REGISTRY_REFUSED"],
    ["the user may not write", 403, "IMAGE_REGISTRY_REFUSED"],
  ] as const)("leaves no tag, and the next one completes it: %s", async (_name, fault, code) => {
    let uploads = 0;
    registry.fault = ({ method, object }) =>
      method === "PUT" && object.startsWith("blobs/") && ++uploads === 2 ? fault : undefined;

    await expect(push()).rejects.toMatchObject({ code });
    expect(registry.manifests.size).toBe(0);
    await expect(pull()).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });

    registry.fault = undefined;
    expect(await push()).toMatchObject({ sent: 2 });
    expect((await pull()).text).toBe(TEXT);
  });

  test("is an error when the registry stores another manifest", async () => {
    registry.fault = ({ method, object }) =>
      method === "PUT" && object.startsWith("manifests/")
        ? (response) => response.writeHead(201, { "Docker-Content-Digest": `sha256:${"0".repeat(64)}` }).end()
        : undefined;

    await expect(push()).rejects.toThrow(/stored sha256:0+ in the place of sha256:/);
  });

  test("sends no file to another host", async () => {
    registry.fault = ({ method }) =>
      method === "POST"
        ? (response) => response.writeHead(202, { Location: "http://127.0.0.1:1/upload" }).end()
        : undefined;

    await expect(push()).rejects.toThrow("names no place of its own for a blob");
  });
});

describe("a sign-in", () => {
  const useLogin = (login: string) => {
    const auth = Buffer.from(login).toString("base64");
    return { auths: { [registry.host]: { auth } } };
  };
  const withConfig = async (config: object): Promise<RegistryAccess> => {
    const folder = join(home, ".docker");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "config.json"), JSON.stringify(config));
    return { ...access, env: { HOME: home } };
  };

  test.each(["basic", "login"] as const)("is Docker's, and only sent when it is asked for: %s", async (kind) => {
    useAccess(await withConfig(useLogin("ann:secret")));
    await push();
    expect(registry.requests.every(({ authorization }) => authorization === undefined)).toBe(true);

    registry.manifests.clear();
    registry[kind] = "ann:secret";
    await push();
    expect((await pull()).text).toBe(TEXT);
  });

  test.each(["basic", "login"] as const)("that is wrong or missing is refused, with what to do: %s", async (kind) => {
    registry[kind] = "ann:secret";
    const error = { code: "IMAGE_REGISTRY_REFUSED", hint: expect.stringContaining(`docker login ${registry.host}`) };
    await expect(pull()).rejects.toMatchObject(error);

    useAccess(await withConfig(useLogin("ann:wrong")));
    await expect(pull()).rejects.toMatchObject(error);
    await expect(push()).rejects.toMatchObject(error);
    await expect(push()).rejects.not.toThrow("wrong");
  });

  test("is renewed when the token is not good any more, once for each request", async () => {
    useAccess(await withConfig(useLogin("ann:secret")));
    registry.login = "ann:secret";
    let uploads = 0;
    registry.fault = ({ method }) => {
      if (method === "PUT" && ++uploads === 1) registry.tokens.clear();
      return undefined;
    };
    await push();
    expect((await pull()).text).toBe(TEXT);

    registry.manifests.clear();
    registry.fault = ({ method }) => {
      if (method === "PUT") registry.tokens.clear();
      return undefined;
    };
    await expect(push()).rejects.toMatchObject({ code: "IMAGE_REGISTRY_REFUSED" });
    expect(registry.manifests.size).toBe(0);
  });

  test("stays where it is while a file is read from the host that the registry keeps its files at", async () => {
    const asked: (string | undefined)[] = [];
    const storage = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end(registry.blobs.get(request.url?.slice(1) ?? ""));
    });
    const port = await listen(storage);
    try {
      useAccess(await withConfig(useLogin("ann:secret")));
      registry.basic = "ann:secret";
      await push();
      registry.fault = ({ object, authorization }) =>
        object.startsWith("blobs/") && authorization !== undefined
          ? (response) =>
              response.writeHead(307, { Location: `http://localhost:${port}/${object.slice("blobs/".length)}` }).end()
          : undefined;

      expect((await pull()).text).toBe(TEXT);
      expect(asked).toEqual([undefined, undefined]);
    } finally {
      storage.close();
      storage.closeAllConnections();
    }
  });

  test("is not sent to the host that a redirect leads to, nor to the address that this host asks to sign in at", async () => {
    const asked: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(401, { "WWW-Authenticate": `Bearer realm="http://127.0.0.1:${port}/token"` }).end();
    });
    const port = await listen(other);
    try {
      useAccess(await withConfig(useLogin("ann:secret")));
      registry.basic = "ann:secret";
      registry.fault = ({ authorization }) =>
        authorization === undefined
          ? undefined
          : (response) => response.writeHead(307, { Location: `http://localhost:${port}/x` }).end();

      await expect(pull()).rejects.toMatchObject({ code: "IMAGE_REGISTRY_REFUSED" });
      expect(asked).toEqual([undefined]);
    } finally {
      other.close();
      other.closeAllConnections();
    }
  });

  test("of a credential helper is used; one that is missing is named, and its output is not", async () => {
    useAccess(await withConfig({ credsStore: "absent-for-this-test" }));
    registry.basic = "ann:secret";
    await expect(pull()).rejects.toThrow(
      "the credential helper docker-credential-absent-for-this-test is not installed",
    );

    useAccess(await withConfig({ credHelpers: { [registry.host]: "../../bin/sh" } }));
    await expect(pull()).rejects.toThrow("cannot be the name of a credential helper");
  });

  test.runIf(process.platform !== "win32")("of a credential helper is asked for the host alone", async () => {
    useAccess(await withConfig({ credHelpers: { [registry.host]: "told" }, auths: useLogin("ann:wrong").auths }));
    const program = join(home, "docker-credential-told");
    const answer = '{"ServerURL":"x","Username":"ann","Secret":"secret"}';
    await writeFile(program, `#!/bin/sh\n[ "$1" = get ] && [ "$(cat)" = "${registry.host}" ] && echo '${answer}'\n`, {
      mode: 0o755,
    });
    useAccess({ ...access, env: { ...access.env, PATH: `${home}:${process.env.PATH ?? ""}` } });
    registry.basic = "ann:secret";

    await push();
    expect((await pull()).text).toBe(TEXT);
  });
});

test.each([
  ["oci://ghcr.io/acme/tools", "oci://ghcr.io/acme/tools:latest"],
  ["oci://ghcr.io/acme/tools:1.0", "oci://ghcr.io/acme/tools:1.0"],
  ["oci://docker.io/tools", "oci://docker.io/library/tools:latest"],
  ["oci://localhost:5000/tools", "oci://localhost:5000/tools:latest"],
  ["OCI://ghcr.io/a/b", "oci://ghcr.io/a/b:latest"],
  ["oci://tools", undefined],
  ["oci://acme/tools", undefined],
  ["oci://ghcr.io/ACME", undefined],
  ["oci://ghcr.io/a/../b", undefined],
  ["oci://user:password@ghcr.io/a/b", undefined],
  ["oci://ghcr.io/a@sha512:00000000000000000000000000000000", undefined],
  ["https://ghcr.io/a", undefined],
])("%s is read as %s", (given, text) => {
  if (text === undefined) expect(() => parseSharedReference(given)).toThrow("cannot name a project");
  else expect(parseSharedReference(given).text).toBe(text);
});

test("a registry of another machine is asked by https alone", async () => {
  const asked: string[] = [];
  const send: typeof fetch = async (input) => {
    asked.push(String(input));
    return new Response(null, { status: 404 });
  };
  const reference = parseSharedReference("oci://registry.example.com/acme/tools");

  await expect(pullProject(reference, { ...access, send })).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });
  expect(asked).toEqual(["https://registry.example.com/v2/acme/tools/manifests/latest"]);
});

test("a registry of another machine leads neither to this one nor to plain http", async () => {
  const reference = parseSharedReference("oci://registry.example.com/acme/tools");
  for (const target of [
    "http://registry.example.com/a",
    "https://127.0.0.1/a",
    "http://127.0.0.1/a",
    "https://[::1]/a",
  ]) {
    const send: typeof fetch = async () => new Response(null, { status: 302, headers: { Location: target } });
    await expect(pullProject(reference, { ...access, send })).rejects.toThrow("which is refused");
  }
  const challenge = 'Bearer realm="http://127.0.0.1:1/token"';
  const send: typeof fetch = async () =>
    new Response(null, { status: 401, headers: { "WWW-Authenticate": challenge } });
  await expect(pullProject(reference, { ...access, send })).rejects.toThrow("which is not https");
});
