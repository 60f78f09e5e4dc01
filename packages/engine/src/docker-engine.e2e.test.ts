import { describeEngineContract } from "@toolhive/core/testing";
import { getTestEngines } from "@toolhive/testing";
import { describe } from "vitest";
import { discoverEngine } from "./discovery/discover-engine.ts";

describe.each(getTestEngines())("the adapter on $kind", ({ host }) => {
  describeEngineContract(async () => ({
    engine: await discoverEngine({ env: { DOCKER_HOST: host }, home: "/nonexistent" }),
    echoImage: "toolhive-test/echo:test",
    exitsImage: "toolhive-test/exits:test",
  }));
});
