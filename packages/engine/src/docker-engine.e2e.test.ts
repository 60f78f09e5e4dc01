import { describeEngineContract } from "@toolhive/core/testing";
import { testEngines } from "@toolhive/testing";
import { describe } from "vitest";
import { discoverEngine } from "./discover-engine.ts";

describe.each(testEngines())("the adapter on $kind", ({ host }) => {
  describeEngineContract(async () => ({
    engine: await discoverEngine({ env: { DOCKER_HOST: host }, home: "/nonexistent" }),
    echoImage: "toolhive-test/echo:test",
    exitsImage: "toolhive-test/exits:test",
  }));
});
