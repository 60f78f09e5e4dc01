import { describe } from "vitest";
import { describeEngineContract } from "./engine-contract.ts";
import { FakeEngine } from "./fake-engine.ts";
import { answeringServer, exitingServer } from "./fake-server.ts";

describe.each(["docker", "podman"] as const)("the %s in memory", (kind) => {
  describeEngineContract(async () => {
    const fake = new FakeEngine({ kind });
    fake.images.set("toolhive-test/echo:test", answeringServer);
    fake.images.set("toolhive-test/exits:test", exitingServer(3, "exits: cannot read the configuration file"));
    return {
      engine: await fake.connect(),
      echoImage: "toolhive-test/echo:test",
      exitsImage: "toolhive-test/exits:test",
    };
  });
});
