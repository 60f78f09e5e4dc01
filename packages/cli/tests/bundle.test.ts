import { build } from "esbuild";
import { expect, test } from "vitest";
import { describeBundle } from "../bundle.mjs";

test("the bundler opens none of the Kubernetes library's generated models, which would be most of the time of a build", async () => {
  const { metafile } = await build({
    ...(await describeBundle("0.0.0")),
    stdin: {
      contents: 'export { KubeConfig } from "@kubernetes/client-node/dist/config.js";',
      resolveDir: `${import.meta.dirname}/../../operator`,
    },
    format: "esm",
    write: false,
    logLevel: "error",
  });
  const files = Object.keys(metafile.inputs).filter((file) => file.includes("/@kubernetes/client-node/"));

  expect(files.some((file) => file.endsWith("/gen/configuration.js"))).toBe(true);
  expect(files.filter((file) => file.includes("/gen/models/") || file.includes("/gen/apis/"))).toEqual([]);
});
