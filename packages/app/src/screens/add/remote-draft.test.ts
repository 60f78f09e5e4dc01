import { listSettingChanges } from "@toolhive/core/setting-changes";
import { describe, expect, it } from "vitest";
import { type CreateRequest, recognise } from "../pasted/source.ts";
import { EMPTY_DRAFT, toCommand } from "./draft.ts";
import { EMPTY_REMOTE, toEditedRemote, toRemoteDraft, toRemoteRequest } from "./remote-draft.ts";

const SOURCE: CreateRequest = { image: "https://mcp.example.com/mcp" };

describe("a remote server in the form", () => {
  it("needs nothing but its address", () => {
    expect(EMPTY_DRAFT.remote).toBe(EMPTY_REMOTE);
    expect(toRemoteRequest(SOURCE, EMPTY_REMOTE)).toEqual(SOURCE);
    expect(toCommand(SOURCE)).toBe("thv run https://mcp.example.com/mcp");
  });

  it("has a client of its own, and secrets by name only, in the request and in the command", () => {
    const remote = {
      ...EMPTY_REMOTE,
      way: "client" as const,
      issuer: "https://login.example.com",
      clientId: "toolhive",
      clientSecret: "calendar-secret",
      bearerToken: "of another way",
      scopes: "events.read, offline_access",
      headers: [{ id: 1, name: "X-Team", value: "maps" }],
      secretHeaders: [
        { id: 1, name: "X-Api-Key", value: "calendar-key" },
        { id: 2, name: "X-Unset", value: "" },
      ],
    };
    const request = toRemoteRequest(SOURCE, remote);
    expect(request).toEqual({
      ...SOURCE,
      oauth_config: {
        issuer: "https://login.example.com",
        client_id: "toolhive",
        client_secret: { name: "calendar-secret" },
        scopes: ["events.read", "offline_access"],
      },
      header_forward: {
        add_plaintext_headers: { "X-Team": "maps" },
        add_headers_from_secret: { "X-Api-Key": "calendar-key" },
      },
    });
    expect(toCommand(request)).toBe(
      "thv secret get calendar-secret | thv run --remote-auth-issuer https://login.example.com " +
        "--remote-auth-client-id toolhive --remote-auth-client-secret-file - --remote-auth-scopes events.read " +
        "--remote-auth-scopes offline_access --remote-forward-headers 'X-Team: maps' " +
        "--remote-forward-headers-secret 'X-Api-Key: calendar-key' https://mcp.example.com/mcp",
    );
  });

  it("sends a stored token in place of a sign-in", () => {
    const remote = { ...EMPTY_REMOTE, way: "bearer" as const, bearerToken: "calendar-token", scopes: "ignored" };
    expect(toRemoteRequest(SOURCE, remote).oauth_config).toEqual({ bearer_token: { name: "calendar-token" } });
  });

  it("answers the headers that the registry asks for", () => {
    const asked = [{ name: "X-Api-Key", secret: true }, { name: "X-Region" }, { name: "X-Left-Out" }];
    const answers = { "X-Api-Key": "calendar-key", "X-Region": "eu" };
    expect(toRemoteRequest({ image: "calendar" }, EMPTY_REMOTE, asked, answers).header_forward).toEqual({
      add_plaintext_headers: { "X-Region": "eu" },
      add_headers_from_secret: { "X-Api-Key": "calendar-key" },
    });
  });

  it("changes nothing when it is left as it was, and keeps what no field shows", () => {
    const request: CreateRequest = {
      ...SOURCE,
      oauth_config: { required: true, resource: "https://mcp.example.com", client_id: "a", scopes: ["b"] },
      header_forward: { add_plaintext_headers: { "X-Team": "maps" } },
      allow_insecure_http: true,
    };
    const draft = toRemoteDraft(request);
    expect(listSettingChanges(request, toEditedRemote(request, draft))).toEqual([]);
    const edited = toEditedRemote(request, { ...draft, way: "discovered", headers: [], scopes: "" });
    expect(edited.oauth_config).toEqual({ required: true, resource: "https://mcp.example.com" });
    expect(edited.header_forward).toBeUndefined();
  });
});

describe("an address", () => {
  it("is recognised where an image or a package may stand, and in the JSON of a client", () => {
    expect(recognise(" https://mcp.example.com/mcp ", new Set())).toEqual({ kind: "remote", request: SOURCE });
    const json = '{"mcpServers":{"my calendar":{"url":"https://mcp.example.com/mcp","headers":{"X-Team":"maps"}}}}';
    expect(recognise(json, new Set())).toMatchObject({
      kind: "pasted",
      servers: [
        {
          request: { ...SOURCE, name: "my-calendar", header_forward: { add_plaintext_headers: { "X-Team": "maps" } } },
        },
      ],
    });
  });

  it.each([
    ["https://", "is no address"],
    ["https://ann:hidden@mcp.example.com/mcp", "holds a password"],
  ])("%s is none that is taken", (text, reason) => {
    const source = recognise(text, new Set());
    expect(source).toMatchObject({ kind: "none", reason: expect.stringContaining(reason) });
    expect(JSON.stringify(source)).not.toContain("hidden");
  });
});
