import { beforeEach, expect, test } from "vitest";
import { type ClusterClient, ClusterError, type ClusterRequest } from "../../cluster/index.ts";
import { type Refreshed, refreshMountedFile } from "./refresh-pods.ts";

const { signal } = new AbortController();

let sent: ClusterRequest[];
let refreshed: Map<string, Refreshed>;
let answer: () => Promise<object>;
beforeEach(() => {
  sent = [];
  refreshed = new Map();
  answer = async () => ({});
});

async function refresh(pods: readonly string[], version: string, now: number): Promise<unknown[]> {
  const send = async (request: ClusterRequest) => {
    sent.push(request);
    return await answer();
  };
  const client = { send } as unknown as ClusterClient;
  const before = sent.length;
  await refreshMountedFile(pods, version, { client, namespace: "tools", refreshed, now, signal });
  return sent.slice(before).map(({ body }) => Object.values((body as Body).metadata.annotations)[0]);
}
interface Body {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
}

test("an annotation and nothing else is written to a pod with another version of its file", async () => {
  await refresh(["proxy-1"], "v2", 0);

  expect(sent).toEqual([
    expect.objectContaining({
      method: "PATCH",
      path: "/api/v1/namespaces/tools/pods/proxy-1",
      body: { metadata: { annotations: { "toolhive.stacklok.dev/refreshed": "v2.1" } } },
      contentType: "application/merge-patch+json",
    }),
  ]);
});

test("a pod that still has the version before gets another annotation later, and no more than three", async () => {
  expect(await refresh(["proxy-1"], "v2", 0)).toEqual(["v2.1"]);
  expect(await refresh(["proxy-1"], "v2", 1_000)).toEqual([]);
  expect(await refresh(["proxy-1"], "v2", 4_000)).toEqual(["v2.2"]);
  expect(await refresh(["proxy-1"], "v2", 8_000)).toEqual(["v2.3"]);
  expect(await refresh(["proxy-1"], "v2", 600_000)).toEqual([]);

  expect(await refresh(["proxy-1"], "v3", 600_001)).toEqual(["v3.1"]);
});

test("nothing is kept of a pod that has the newest version or has ended", async () => {
  await refresh(["proxy-1", "proxy-2"], "v2", 0);
  await refresh(["proxy-2"], "v2", 1_000);

  expect([...refreshed.keys()]).toEqual(["proxy-2"]);
});

test.each([403, 404, 409])("an API server that answers with %s leaves it to the kubelet", async (status) => {
  answer = async () => {
    throw new ClusterError("refused", status);
  };

  await expect(refresh(["proxy-1"], "v2", 0)).resolves.toEqual(["v2.1"]);
});
