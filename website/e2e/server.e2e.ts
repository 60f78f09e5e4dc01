/** The server as a browser and a proxy see it: compression, caching, conditions, ranges, redirects, refusals. */
import { request as httpRequest } from "node:http";
import { expect, siteOrigin, test } from "./support/site.ts";

const PAGE = "/toolhive/tutorials/quickstart-cli";

test("a page is sent with brotli or gzip as the client accepts, revalidated by its tag", async ({ request }) => {
  for (const encoding of ["br", "gzip"]) {
    const first = await request.get(PAGE, { headers: { "accept-encoding": encoding } });
    const tag = first.headers().etag ?? "";
    const again = await request.get(PAGE, { headers: { "accept-encoding": encoding, "if-none-match": tag } });

    expect(first.headers()).toMatchObject({
      "content-encoding": encoding,
      "cache-control": "no-cache",
      vary: "Accept, Accept-Encoding",
    });
    expect(tag).not.toBe("");
    expect(again.status()).toBe(304);
  }
});

test("files with a hash in their name are kept for a year", async ({ request }) => {
  const html = await (await request.get("/")).text();
  const script = /\/assets\/js\/main\.[0-9a-f]+\.js/.exec(html)?.[0] ?? "";

  const response = await request.get(script, { headers: { "accept-encoding": "br" } });

  expect(response.headers()).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-encoding": "br",
    "content-type": "text/javascript; charset=utf-8",
  });
});

test("a byte range of a file is served, one past its end is refused", async ({ request }) => {
  const part = await request.get("/img/logo.svg", { headers: { range: "bytes=0-3" } });
  const beyond = await request.get("/img/logo.svg", { headers: { range: "bytes=999999-" } });

  expect(part.status()).toBe(206);
  expect(await part.text()).toBe("<svg");
  expect(part.headers()["content-range"]).toMatch(/^bytes 0-3\/\d+$/);
  expect(beyond.status()).toBe(416);
});

for (const [from, to] of [
  [`${PAGE}.html`, PAGE],
  [`${PAGE}/index.html?os=linux`, `${PAGE}?os=linux`],
  ["/index.html", "/"],
  ["/toolhive/quickstart", PAGE],
] as const) {
  test(`${from} redirects to ${to}`, async ({ request }) => {
    const response = await request.get(from, { maxRedirects: 0 });

    expect(response.status()).toBe(301);
    expect(response.headers().location).toBe(to);
  });
}

test("a page answers with and without a slash at its end", async ({ request }) => {
  expect((await request.get("/toolhive", { maxRedirects: 0 })).status()).toBe(200);
  expect((await request.get("/toolhive/", { maxRedirects: 0 })).status()).toBe(200);
  expect((await request.get(`${PAGE}/`, { maxRedirects: 0 })).status()).toBe(200);
});

test("pages carry a policy that allows scripts by hash only, and files allow nothing", async ({ request }) => {
  for (const path of ["/", "/no-such-page"]) {
    const headers = (await request.get(path)).headers();
    const policy = headers["content-security-policy"] ?? "";

    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain("'unsafe-inline'");
    expect(policy).not.toContain("'unsafe-eval'");
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "x-frame-options": "DENY" });
  }
  expect((await request.get("/img/logo.svg")).headers()).toMatchObject({
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
});

for (const [target, status] of [
  ["/%E0%A4%A", 400],
  ["/%00", 400],
  ["/../../etc/passwd", 404],
  ["/..%2f..%2fetc%2fpasswd", 404],
  [`/${"a".repeat(20_000)}`, 414],
] as const) {
  test(`the address ${target.slice(0, 30)} answers ${status}`, async () => {
    expect(await requestStatus(target)).toBe(status);
  });
}

test("methods that change something are refused with the methods that are allowed", async ({ request }) => {
  const response = await request.delete(PAGE);

  expect(response.status()).toBe(405);
  expect(response.headers().allow).toBe("GET, HEAD");
});

/** Sends the target as written: the ordinary clients would normalise it first. */
function requestStatus(target: string): Promise<number | undefined> {
  const { hostname, port } = new URL(siteOrigin());
  return new Promise((resolve, reject) => {
    httpRequest({ hostname, port, path: target }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once("error", reject)
      .end();
  });
}
