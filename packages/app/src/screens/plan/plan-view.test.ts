import type { OperationAnswer } from "@toolhive/api/client";
import { PLAN_FACTS } from "@toolhive/core/plan-facts";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { PlanView } from "./plan-view.tsx";

const PLAN: OperationAnswer<"planWorkload">["plan"] = {
  name: "weather",
  image: "localhost/weather:1",
  image_from: "build",
  package: "npx://weather",
  registry_source: "team (https://example.com/servers.json)",
  build: "on node:22, with a certificate",
  arguments: ["--units", "metric"],
  transport: "stdio",
  url: "http://127.0.0.1:26683/mcp",
  port_chosen: true,
  variables: ["UNITS", "PLACE"],
  secrets: ["weather-key,target=API_KEY"],
  labels: { team: "maps" },
  mounts: [{ source: "/home/ada/data", target: "/data", read_only: true }],
  user: { description: "1000, you", groups: ["27"] },
  network: {
    reach: "Only api.example.com, on port 443.",
    access: "filtered",
    outbound: { allow_all: false, hosts: ["api.example.com"], ports: [443] },
  },
  limits: { memory_bytes: 1_048_576, cpus: 2, pids: 5 },
  files: ["writes /home/ada/audit.log"],
  receivers: ["telemetry goes to collector.example.com"],
  switched_off: ["it runs as root"],
  read_only: true,
  tokens_from: "https://issuer.example.com",
  warnings: ["Nobody enforces the limit."],
};

const show = (plan: typeof PLAN) => renderToStaticMarkup(createElement(PlanView, { plan: { plan, files: [] } }));

test("the application shows everything that thv run --dry-run shows", () => {
  const html = show(PLAN);
  for (const text of [
    "npx://weather on node:22, with a certificate",
    "the entry of the source team (https://example.com/servers.json)",
    "--units metric",
    "http://127.0.0.1:26683/mcp",
    "UNITS",
    "weather-key as API_KEY",
    "team=maps",
    "/home/ada/data at /data (read)",
    "1000, you, with your groups 27",
    "Only api.example.com, on port 443.",
    "1 MiB of memory, 2 CPUs, 5 processes",
    "writes /home/ada/audit.log",
    "telemetry goes to collector.example.com",
    "it runs as root",
    "https://issuer.example.com",
    "Nobody enforces the limit.",
  ])
    expect(html).toContain(text);
  // An image and an address are of other plans.
  expect(html.split("<dt>").length - 1).toBe(PLAN_FACTS.length - 2);
});

test("a server elsewhere has its address, and nothing of a container", () => {
  const { package: _package, build: _build, ...rest } = PLAN;
  const html = show({ ...rest, image: "https://example.com/mcp", image_from: "remote" });
  expect(html).toContain("https://example.com/mcp");
  expect(html).not.toContain("MiB of memory");
});
