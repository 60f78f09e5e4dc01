/** Streams of an engine: its events, and the input and output of a container. */
import { describe, expect, test } from "vitest";
import { DockerEngine } from "./docker-engine.ts";
import { FakeDaemon, json } from "./testing/fake-daemon.ts";

describe("watchEvents", () => {
  test("skips other events, and reports when the engine has gone", async () => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    const actor = { ID: "abc", Attributes: { name: "echo", toolhive: "true", exitCode: "3" } };
    daemon.answer("GET /events", (_request, response) => {
      for (const Action of ["create", "attach", "start", "exec_start: sh", "die"]) {
        response.write(`${JSON.stringify({ Action, Actor: actor })}\n`);
      }
      response.end(`${JSON.stringify({ Action: "die", Actor: { ...actor, Attributes: { name: "other" } } })}\n`);
    });
    const seen: unknown[] = [];

    const watching = (async () => {
      const since = new Date("2026-01-01T00:00:00.900Z");
      const signal = new AbortController().signal;
      for await (const event of engine.watchEvents({ toolhive: "true" }, { since, signal })) seen.push(event);
    })();

    await expect(watching).rejects.toMatchObject({ code: "ENGINE_UNREACHABLE" });
    expect(seen).toEqual([
      { action: "start", containerId: "abc", containerName: "echo" },
      { action: "die", containerId: "abc", containerName: "echo", exitCode: 3 },
    ]);
    const { searchParams } = new URL(`http://x${daemon.seen.at(-1)?.url}`);
    expect(searchParams.get("since")).toBe("1767225600");
  });

  test("reports an answer that is not an event stream", async () => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    daemon.answer("GET /events", (_request, response) => void response.end("<html>\n"));

    const watching = (async () => {
      const options = { since: new Date(), signal: new AbortController().signal };
      for await (const event of engine.watchEvents({}, options)) throw new Error(`unexpected ${event.action}`);
    })();

    await expect(watching).rejects.toMatchObject({ code: "ENGINE_UNREACHABLE" });
  });
});

describe("attach", () => {
  test("is refused with the engine's reason when the connection is not handed over", async () => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    daemon.answer("POST /containers/abc/attach", json(409, { message: "container is paused" }));

    await expect(engine.attach("abc")).rejects.toMatchObject({
      code: "ENGINE_FAILED",
      message: expect.stringContaining("container is paused"),
    });
  });

  test("waits for a container that Podman is still putting away, unless its caller gives up", async () => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    const message = "can only attach to created or running containers: container state improper";
    const impatient = new AbortController();
    let asked = 0;
    daemon.answer("POST /containers/abc/attach", (request, response) => {
      asked += 1;
      if (asked === 5) impatient.abort();
      if (asked === 3) json(404, { message: "no such container" })(request, response);
      else json(500, { message })(request, response);
    });

    await expect(engine.attach("abc")).rejects.toMatchObject({ message: expect.stringContaining("no such container") });

    expect(asked).toBe(3);
    await expect(engine.attach("abc", { signal: impatient.signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  test("keeps what came with the answer, and survives a connection that is reset", async () => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    daemon.onUpgrade((socket) => {
      const payload = Buffer.from("early\n");
      const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, payload.length]);
      socket.write(
        Buffer.concat([
          Buffer.from("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"),
          header,
          payload,
        ]),
        () => socket.destroy(),
      );
    });

    const stdio = await engine.attach("abc");
    let text = "";
    for await (const chunk of stdio.stdout) text += chunk;
    stdio.stdin.write("into the void\n");
    await stdio.closed;

    expect(text).toBe("early\n");
  });
});
