/** An engine on another machine: what cannot work there is refused before anything starts. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { answeringServer } from "../src/testing/fake-server.ts";
import { FakeTime } from "../src/testing/fake-time.ts";
import { readStatus, World } from "../src/testing/world.ts";
import type { CreateRequest } from "../src/workload/create-request-schema.ts";

const IMAGE = "mcp/echo:latest";
const ADDRESS = "ssh://ada@build.example.com";

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

async function bootRemote() {
  const world = new World();
  world.engine.remoteAddress = ADDRESS;
  world.engine.images.set(IMAGE, answeringServer);
  return { world, ...(await world.boot()) };
}

test.each<[Partial<CreateRequest>, string[]]>([
  [{ volumes: ["/srv/maps:/data:ro", "/etc/x:/x"] }, ['"/srv/maps" cannot be mounted', '"/etc/x" cannot be mounted']],
  [{ transport: "streamable-http", target_port: 8080 }, ["the transport streamable-http cannot be reached"]],
  [{ transport: "sse", target_port: 80, volumes: ["/a:/a"] }, ['"/a" cannot be mounted', "the transport sse"]],
])("a server with %j is refused by name, and no workload remains", async (more, reasons) => {
  const { world, supervisor } = await bootRemote();
  const asked = { name: "echo", image: IMAGE, ...more };

  for (const work of [supervisor.create(asked), supervisor.plans.plan(asked)]) {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", hint: expect.stringContaining("set-engine auto") });
    for (const reason of [ADDRESS, ...reasons]) expect(String(error)).toContain(reason);
  }
  expect([supervisor.list(), world.engine.calls.filter((call) => call === "createContainer")]).toEqual([[], []]);
});

test("a server on stdio runs", async () => {
  const { supervisor } = await bootRemote();

  await supervisor.create({ name: "echo", image: IMAGE });

  await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "running");
});
