import { describeEngineContract } from "@toolhive/core/testing";
import { describeEngines } from "@toolhive/testing";
import { discoverEngine } from "./discovery/discover-engine.ts";

describeEngines("the adapter on $kind", ({ host }) => {
  describeEngineContract(async () => ({
    engine: await discoverEngine({ env: { DOCKER_HOST: host }, home: "/nonexistent" }),
    echoImage: "toolhive-test/echo:test",
    exitsImage: "toolhive-test/exits:test",
  }));
});
