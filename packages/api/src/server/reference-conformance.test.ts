/** More of what the reference answers: members, labels, methods and filters. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { BASE, createRunning, post, served, startServer, stopServer, WAIT } from "../testing/served-workloads.ts";

beforeAll(startServer);
afterAll(stopServer);

describe("conformance with the reference (api-behaviour 13)", () => {
  test("labels are set on the container and shown again; without any there is no member", async () => {
    const labels = { team: "maps", "example.org/tier": "" };
    await post("/workloads", { name: "with-labels", image: "mcp/echo:1", labels });
    await createRunning("without-labels");
    await vi.waitFor(() => expect(served.supervisor.describe("with-labels").status).toBe("running"), WAIT);

    const one = JSON.parse((await served.send("GET", `${BASE}/workloads/with-labels`)).body);
    const all = JSON.parse((await served.send("GET", `${BASE}/workloads`)).body).workloads as { name: string }[];

    expect(one.labels).toEqual(labels);
    expect(all.find(({ name }) => name === "with-labels")).toEqual(one);
    expect(all.find(({ name }) => name === "without-labels")).not.toHaveProperty("labels");
    expect(served.world.engine.find("with-labels")?.spec.labels).toMatchObject({ ...labels, toolhive: "true" });
    await (await served.supervisor.delete("with-labels")).done;
    await (await served.supervisor.delete("without-labels")).done;
  });

  test("a create with a label that is none or is ours is refused, and names it", async () => {
    const labels = { "toolhive-name": "other", "no spaces": "x" };

    const { status, body } = await post("/workloads", { name: "badly-labelled", image: "mcp/echo:1", labels });

    expect(status).toBe(400);
    expect(body).toMatch(/^Failed to create run config: label "toolhive-name" is reserved.*; label "no spaces" /);
    expect(served.supervisor.list().map(({ name }) => name)).not.toContain("badly-labelled");
  });

  test("labels that are not texts cannot be decoded", async () => {
    const { status, body } = await post("/workloads", { image: "mcp/echo:1", labels: { team: 7 } });

    expect([status, body]).toEqual([400, "Failed to decode request\nlabels.team is a number but must be a string\n"]);
  });

  test("a create with an unknown transport is refused as a run configuration", async () => {
    const { status, body } = await post("/workloads", { image: "mcp/echo:1", transport: "carrier-pigeon" });

    expect(status).toBe(400);
    expect(body).toMatch(/^Failed to create run config: transport "carrier-pigeon"/);
  });

  test.each([
    ["/clients/cursor", ["DELETE"]],
    ["/clients/plan", ["POST"]],
    ["/workloads/cursor", ["DELETE", "GET"]],
    ["/workloads/upgrade-check", ["GET"]],
  ])("the allowed methods of %s are those that the document has there", async (path, allowed) => {
    const { headers } = await served.send("PATCH", `${BASE}${path}`);

    expect(headers.allow?.split(", ").sort()).toEqual(allowed);
  });

  test("a body that is null is no body where every member may be missing", async () => {
    await post("/groups", { name: "nothing" });

    expect(await served.send("PUT", `${BASE}/groups/nothing/tools`, { body: "null" })).toMatchObject({
      status: 400,
      body: "Invalid request body\n",
    });
  });

  test("a method that a path does not have is 405 with an empty body and the allowed ones", async () => {
    const { status, headers, body } = await served.send("PATCH", `${BASE}/workloads`);

    expect([status, body]).toEqual([405, ""]);
    expect(headers.allow?.split(", ").sort()).toEqual(["GET", "POST"]);
    expect((await served.send("HEAD", `${BASE}/version`)).status).toBe(405);
  });

  test("only the exact value true lists what does not run", async () => {
    await createRunning("list-running");
    await createRunning("list-stopped");
    await (await served.supervisor.stop("list-stopped")).done;
    const names = async (query: string) =>
      JSON.parse((await served.send("GET", `${BASE}/workloads${query}`)).body).workloads.map(
        ({ name }: { name: string }) => name,
      );

    expect(await names("?all=true")).toEqual(expect.arrayContaining(["list-running", "list-stopped"]));
    for (const query of ["", "?all=1", "?all=TRUE", "?all=", "?other=true"]) {
      expect(await names(query)).not.toContain("list-stopped");
    }
  });

  test.each([
    ["/api/v1beta/workloads/", 200],
    ["/api/v1beta/version/", 200],
    ["/health/", 204],
    ["/api/v1beta/workloads/nope/", 404],
    ["/api/v1beta", 404],
    ["/api/v1beta/nothing", 404],
    ["/", 404],
  ])("GET %s answers %i", async (path, status) => {
    const answer = await served.send("GET", path);

    expect(answer.status).toBe(status);
    if (status === 404) expect(answer.body).toBe("404 page not found\n");
  });
});
