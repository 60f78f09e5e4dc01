import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openClient } from "../testing/client-routes.ts";
import { openGuarded } from "../testing/open-guarded.ts";

test("a stream that is guarded, audited, measured and rewritten does not look like a leak of listeners to Node", async () => {
  const warnings: string[] = [];
  const note = ({ name, message }: Error): number => warnings.push(`${name}: ${message}`);
  process.on("warning", note);
  const directory = await mkdtemp(join(tmpdir(), "http-forward-"));

  {
    await using guarded = await openGuarded({
      kind: "sse",
      access: {
        audit_config: { log_file: join(directory, "audit.log") },
        authz_config: {
          version: "1.0",
          type: "cedarv1",
          cedar: { policies: ["permit(principal, action, resource);"] },
        },
        telemetry_config: { EnablePrometheusMetricsPath: true },
      },
    });
    await using client = await openClient(guarded.endpoint, "sse", await guarded.as("ada"));
    const answer = await client.request("tools/list");
    expect(answer.message).toMatchObject({ result: {} });
  }

  process.off("warning", note);
  await rm(directory, { recursive: true });
  expect(warnings.filter((text) => text.startsWith("MaxListenersExceededWarning"))).toEqual([]);
});
