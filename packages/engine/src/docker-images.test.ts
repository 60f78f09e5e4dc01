import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { EngineHttp } from "./connection/engine-http.ts";
import { DockerImages } from "./docker-images.ts";

/** Answers each request when the test lets it. */
function createEngine() {
  const requests: { what: string; answer: () => void }[] = [];
  const stream = ({ method, path }: { method?: string; path: string }) =>
    new Promise<Readable>((resolve) => {
      requests.push({ what: `${method} ${path}`, answer: () => resolve(Readable.from([])) });
    });
  const http = { stream, fetchJson: async () => ({ Id: "sha256:1" }) } as unknown as EngineHttp;
  const started = () => requests.map(({ what }) => what);
  return { images: new DockerImages(http), requests, started };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
const BUILD = "POST /build";
const REMOVE = "DELETE /images/one";
/** Turns of the event loop in which whatever can start does. */
const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("images that are built and removed at the same time", () => {
  test("a removal waits for the builds that run, and a build for the removal", async () => {
    const { images, requests, started } = createEngine();
    const first = images.buildImage("two", noBytes());
    await settle();
    const removal = images.removeImage("one");
    await settle();
    expect(started()).toEqual([BUILD]);

    requests[0]?.answer();
    await first;
    await settle();
    expect(started()).toEqual([BUILD, REMOVE]);
    const second = images.buildImage("three", noBytes());
    await settle();
    expect(started()).toEqual([BUILD, REMOVE]);

    requests[1]?.answer();
    expect(await removal).toBe(true);
    await settle();
    expect(started()).toEqual([BUILD, REMOVE, BUILD]);
    requests[2]?.answer();
    await second;
  });

  test("builds do not wait for each other", async () => {
    const { images, requests, started } = createEngine();
    const builds = [images.buildImage("one", noBytes()), images.buildImage("two", noBytes())];
    await settle();

    expect(started()).toEqual([BUILD, BUILD]);
    for (const { answer } of requests) answer();
    await Promise.all(builds);
  });

  test("an image that is wanted again after the wait stays", async () => {
    const { images, requests, started } = createEngine();
    let isUnused = true;
    const build = images.buildImage("two", noBytes());
    await settle();
    const removal = images.removeImage("one", { isUnused: () => isUnused });
    isUnused = false;
    requests[0]?.answer();
    await build;

    expect(await removal).toBe(false);
    expect(started()).toEqual([BUILD]);
  });

  test("a removal that is given up while it waits ends", async () => {
    const { images, requests } = createEngine();
    const build = images.buildImage("two", noBytes());
    await settle();
    const stop = new AbortController();
    const removal = images.removeImage("one", { signal: stop.signal });
    stop.abort(new Error("stopped"));

    await expect(removal).rejects.toThrow("stopped");
    requests[0]?.answer();
    await build;
  });
});
