import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { EngineHttp } from "./connection/engine-http.ts";
import { DockerImages } from "./docker-images.ts";

const DIGEST = "sha256:849e96461c2065bb5cd29a1c115d01c7cb42e388bc220b04747d037e4e79a15d";
/** What Docker 20.10 answers to a build while another process removes an image with the same layers. */
const LOST = [
  `failed to export image: failed to set parent sha256:${"c".repeat(64)}: unknown parent image ID sha256:${"c".repeat(64)}`,
  `No such image: ${DIGEST}`,
  `failed to get digest ${DIGEST}: open /var/lib/docker/image/overlay2/imagedb/content/sha256/849e: no such file or directory`,
];

/** Answers builds in turn, the last answer again and again. @param errors Of each build; none: it succeeds. */
function createEngine(errors: readonly (string | undefined)[]) {
  const contexts: string[] = [];
  const stream = async ({ archive }: { archive: AsyncIterable<Uint8Array> }) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of archive) chunks.push(chunk);
    const error = errors[Math.min(contexts.length, errors.length - 1)];
    contexts.push(Buffer.concat(chunks).toString());
    return Readable.from(error === undefined ? [] : [Buffer.from(`${JSON.stringify({ error })}\n`)]);
  };
  const http = { stream, fetchJson: async () => ({ Id: DIGEST }) } as unknown as EngineHttp;
  return { images: new DockerImages(http), contexts };
}

async function* readContext(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("the whole archive");
}

test("a build's line that its program wrote in pieces is one line of progress, whole", async () => {
  const long = `go: ${"x".repeat(600)}: certificate signed by unknown authority`;
  const pieces = [
    "Step 1/2 : RUN uv\n",
    "\u001b[31merror\u001b[39m",
    ": ",
    "No solution found\n  cause: a\r",
    `${long}\n`,
    "the end",
  ];
  const text = pieces.map((stream) => `${JSON.stringify({ stream })}\n`).join("");
  const http = { stream: async () => Readable.from([Buffer.from(text)]), fetchJson: async () => ({ Id: DIGEST }) };
  const seen: string[] = [];

  await new DockerImages(http as unknown as EngineHttp).buildImage("one", readContext, {
    onProgress: ({ message }) => void seen.push(message),
  });

  expect(seen).toEqual(["Step 1/2 : RUN uv", "error: No solution found", "cause: a", long, "the end"]);
});

describe("a build whose layer another process removes", () => {
  test.each(LOST)("begins anew with the whole archive: %s", async (lost) => {
    const { images, contexts } = createEngine([lost, lost, undefined]);

    await images.buildImage("one", readContext);

    expect(contexts).toEqual(Array(3).fill("the whole archive"));
  });

  test("fails in the end when that happens each time", async () => {
    const { images, contexts } = createEngine(LOST);

    await expect(images.buildImage("one", readContext)).rejects.toMatchObject({
      code: "BUILD_FAILED",
      message: expect.stringContaining("failed to get digest"),
    });
    expect(contexts).toHaveLength(4);
  });

  test.each(["The command 'npm install' returned a non-zero code: 1", `npm said: No such image: ${DIGEST}`])(
    "is not tried again for another reason: %s",
    async (reason) => {
      const { images, contexts } = createEngine([reason]);

      await expect(images.buildImage("one", readContext)).rejects.toMatchObject({ code: "BUILD_FAILED" });
      expect(contexts).toHaveLength(1);
    },
  );
});
