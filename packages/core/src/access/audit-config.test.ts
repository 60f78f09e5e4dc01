import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAuditConfig } from "./audit-config.ts";
import { readAuthzConfig } from "./authz-config.ts";
import { resolveTelemetry } from "./telemetry-config.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const AUTHZ = { version: "1.0", type: "cedarv1", cedar: { policies: ["permit(principal, action, resource);"] } };

describe("an audit file", () => {
  test("is read, from a path or as it is", async () => {
    const text = '{"event_types":["mcp_tool_call"],"max_data_size":9,"log_file":"/var/log/audit"}';

    expect(await readAuditConfig(await file("audit.json", text))).toEqual(JSON.parse(text));
    expect(await readAuditConfig(text)).toEqual(JSON.parse(text));
  });

  test("may use the names of the reference's guides, but none of them twice", async () => {
    const text = JSON.stringify({
      component: "a",
      eventTypes: ["mcp_ping"],
      excludeEventTypes: ["mcp_initialize"],
      includeRequestData: true,
      includeResponseData: true,
      maxDataSize: 9,
      logFile: "/var/log/audit",
    });

    expect(await readAuditConfig(text)).toEqual({
      component: "a",
      event_types: ["mcp_ping"],
      exclude_event_types: ["mcp_initialize"],
      include_request_data: true,
      include_response_data: true,
      max_data_size: 9,
      log_file: "/var/log/audit",
    });
    await expect(readAuditConfig('{"maxDataSize":1,"max_data_size":2}')).rejects.toThrow(
      "max_data_size is there twice, as max_data_size and as maxDataSize",
    );
    await expect(readAuditConfig('{"logfile":"/a"}')).rejects.toThrow('did you mean "log_file"?');
  });

  test.each([
    ['{"event_types":["mcp_tool_call","mcp_everything"]}', "event_types"],
    ['{"exclude_event_types":["tool_call"]}', "exclude_event_types"],
    ['{"max_data_size":-1}', "max_data_size"],
    ['{"log_file":"audit.log"}', "log_file is not an absolute path"],
    ['{"surprise":1}', "surprise"],
    ["[]", "not a JSON object"],
    ["marker-of-another-file", "not a JSON object"],
  ])("is refused with %s", async (text, reason) => {
    const error = await readAuditConfig(await file("bad.json", text)).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(reason) });
    expect(String(error)).not.toContain("marker-of-another-file");
  });

  test("has each mistake at its place in the request", async () => {
    const error = await readAuditConfig('{"log_file":"a","max_data_size":-1}').catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      problems: expect.arrayContaining([
        { path: ["audit_config", "log_file"], sentence: "log_file is not an absolute path" },
        { path: ["audit_config", "max_data_size"], sentence: expect.any(String) },
      ]),
    });
  });

  test("that is not there is refused", async () => {
    await expect(readAuditConfig(join(folder, "none.json"))).rejects.toMatchObject({
      message: expect.stringContaining("it cannot be read (ENOENT)"),
    });
  });
});

describe("an authorisation file", () => {
  test.each([
    ["policies.json", JSON.stringify(AUTHZ)],
    ["policies", JSON.stringify(AUTHZ)],
    [
      "policies.yaml",
      'version: "1.0"\ntype: cedarv1\ncedar:\n  policies:\n    - permit(principal, action, resource);\n',
    ],
    ["policies.yml", JSON.stringify(AUTHZ)],
  ])("named %s is read", async (name, text) => {
    expect(await readAuthzConfig(await file(name, text))).toEqual(AUTHZ);
  });

  test.each([
    ["p.toml", JSON.stringify(AUTHZ), "must end with .json, .yaml or .yml, not with .toml"],
    ["p.json", "marker-of-another-file", "it is not JSON"],
    ["p.yaml", "marker: [of-another-file", "it is not YAML"],
    ["p.json", '{"version":"1","type":"cedarv2","cedar":{"policies":[]}}', "type"],
    ["p.json", '{"version":"1","type":"cedarv1","cedar":{"policies":[]}}', "policies"],
    ["p.json", '{"type":"cedarv1","cedar":{"policies":["x"]}}', 'is missing "version"'],
    ["p.json", '{"version":"1","type":"cedarv1"}', 'is missing "cedar"'],
  ])("named %s that holds %s is refused", async (name, text, reason) => {
    const error = await readAuthzConfig(await file(name, text)).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(reason) });
    expect(String(error)).not.toContain("of-another-file");
  });

  test.each([
    ["p.json", '{\n  "version": "1",\n  "type": "cedarv2",\n  "cedar": { "policies": [\n    5\n  ] }\n}', 5],
    ["p.yaml", 'version: "1"\n\ntype: cedarv2\ncedar:\n  policies:\n    - 5\n', 6],
  ])("named %s with mistakes has each at its place in the request, and on its line", async (name, text, line) => {
    const error = await readAuthzConfig(await file(name, text)).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      problems: expect.arrayContaining([
        { path: ["authz_config", "type"], sentence: expect.stringMatching(/^line 3: type is "cedarv2"/) },
        {
          path: ["authz_config", "cedar", "policies", "0"],
          sentence: expect.stringMatching(`^line ${line}: cedar\\.policies\\[0\\] is a number`),
        },
      ]),
    });
    expect(await readAuthzConfig("{}").catch((thrown: unknown) => thrown)).toMatchObject({
      problems: expect.arrayContaining([{ path: ["authz_config"], sentence: expect.not.stringContaining("line") }]),
    });
  });
});

describe("telemetry", () => {
  test.each([
    ["collector.example:4318", false, "https://collector.example:4318"],
    ["127.0.0.1:4318", true, "http://127.0.0.1:4318"],
    ["collector.example:4318", true, "http://collector.example:4318"],
    ["collector.example:4318", undefined, "https://collector.example:4318"],
    ["localhost:4318", undefined, "http://localhost:4318"],
    ["[::1]:4318", undefined, "http://[::1]:4318"],
    ["127.0.0.1", undefined, "http://127.0.0.1"],
    ["localhost:4318", false, "https://localhost:4318"],
    ["localhost.example:4318", undefined, "https://localhost.example:4318"],
    ["127.0.0.1.example:4318", undefined, "https://127.0.0.1.example:4318"],
    ["https://localhost:4318", undefined, "https://localhost:4318"],
    ["http://collector.example:4318/", false, "http://collector.example:4318"],
  ])("goes to %s (insecure: %s) as %s", (endpoint, insecure, expected) => {
    expect(resolveTelemetry({ endpoint, ...(insecure !== undefined && { insecure }) }, undefined)).toEqual({
      Endpoint: expected,
    });
  });

  test("takes whether TLS is used from the settings, unless the request or a scheme says it", () => {
    const defaults = { endpoint: "a:1", "env-vars": [], insecure: true };

    expect(resolveTelemetry({}, defaults)).toEqual({ Endpoint: "http://a:1" });
    expect(resolveTelemetry({ insecure: false }, defaults)).toEqual({ Endpoint: "https://a:1" });
    expect(resolveTelemetry({ endpoint: "https://b:2" }, defaults)).toEqual({ Endpoint: "https://b:2" });
  });

  test("takes from the settings what was not asked for", () => {
    const defaults = { endpoint: "a:1", "sampling-rate": 0.5, "env-vars": ["HOME"] };

    expect(resolveTelemetry({}, defaults)).toEqual({
      Endpoint: "https://a:1",
      SamplingRate: 0.5,
      EnvironmentVariables: ["HOME"],
    });
    expect(resolveTelemetry({ endpoint: "b:2", sampling_rate: 0, env_vars: ["A, B", "C"] }, defaults)).toEqual({
      Endpoint: "https://b:2",
      SamplingRate: 0,
      EnvironmentVariables: ["A", "B", "C"],
    });
  });

  test("is off when nothing is to be measured", () => {
    expect(resolveTelemetry({ sampling_rate: 1, env_vars: ["HOME"] }, undefined)).toBeUndefined();
    expect(resolveTelemetry({ prometheus_path: true }, undefined)).toEqual({ EnablePrometheusMetricsPath: true });
  });

  test("with mistakes is refused with all of them, and no header is repeated", () => {
    const request = { endpoint: "http://user:marker@a/", sampling_rate: 2, headers: ["marker-without-equals"] };
    const asking = () => resolveTelemetry(request, undefined);

    expect(asking).toThrow(/sampling rate 2.*header.*NAME=VALUE.*without credentials/);
    expect(asking).not.toThrow(/marker/);
  });
});
