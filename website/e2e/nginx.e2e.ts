/** The configuration that the build makes for nginx, in a real nginx of the system (`NGINX_PATH`, else /usr/sbin/nginx). */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { listen } from "@toolhive/http";
import { expect, test } from "./support/site.ts";

const NGINX = process.env.NGINX_PATH ?? "/usr/sbin/nginx";
const websiteDir = path.join(__dirname, "..");
const PAGE = "/toolhive/tutorials/quickstart-cli";

const HAS_NGINX = existsSync(NGINX);
test.skip(!HAS_NGINX, "There is no nginx on this system.");
test.describe.configure({ mode: "default" });

let nginx: ChildProcess;
let origin = "";

/** A port that was free a moment ago: nginx has no way to choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's dependencies from this pattern.
test.beforeAll(async ({}, info) => {
  const dir = info.outputPath("nginx");
  await mkdir(dir, { recursive: true });
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const block = readFileSync(path.join(websiteDir, "dist/hosts/nginx.conf"), "utf8")
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replaceAll("/srv/toolhive", path.join(websiteDir, "build"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  await writeFile(
    path.join(dir, "nginx.conf"),
    `${user} daemon off; master_process off; pid ${dir}/pid; error_log stderr;\nevents {}\nhttp { access_log off; ${temporary.join(" ")}\n${block}}\n`,
  );
  nginx = spawn(NGINX, ["-p", dir, "-c", path.join(dir, "nginx.conf")], { stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  nginx.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  await expect
    .poll(
      async () => {
        if (nginx.exitCode !== null) throw new Error(`nginx ended: ${complaints}`);
        return await fetch(origin).then(
          ({ status }) => status,
          () => "does not answer yet",
        );
      },
      { message: "nginx serves the home page" },
    )
    .toBe(200);
});

test.afterAll(async () => {
  if (nginx === undefined || nginx.exitCode !== null) return;
  const ended = new Promise((resolve) => nginx.once("exit", resolve));
  nginx.kill("SIGTERM");
  await ended;
});

test.describe(HAS_NGINX ? "the generated configuration" : "skipped, because there is no nginx on this system", () => {
  test("nginx serves a page compressed, with the site's policy", async ({ request }) => {
    const response = await request.get(origin + PAGE, { headers: { "accept-encoding": "gzip" } });
    const own = await request.get(PAGE);

    expect(response.status()).toBe(200);
    expect(await response.text()).toBe(await own.text());
    expect(response.headers()).toMatchObject({
      "content-encoding": "gzip",
      "content-security-policy": own.headers()["content-security-policy"],
      "x-content-type-options": "nosniff",
    });
  });

  test("nginx takes .html and /index.html away and keeps the query", async ({ request }) => {
    for (const suffix of [".html", "/index.html"]) {
      const response = await request.get(`${origin}${PAGE}${suffix}?os=linux`, { maxRedirects: 0 });

      expect(response.status()).toBe(301);
      expect(new URL(response.headers().location ?? "", origin).pathname).toBe(PAGE);
      expect(response.headers().location).toContain("?os=linux");
    }
  });

  test("nginx answers an unknown address with 404 and the page that helps", async ({ request }) => {
    const response = await request.get(`${origin}/no/such-page`);

    expect(response.status()).toBe(404);
    expect(await response.text()).toContain("Popular pages");
  });

  test("nginx lets files with a hash in their name be kept for a year", async ({ request }) => {
    const script = /\/assets\/js\/main\.\w+\.js/.exec(await (await request.get(origin)).text())?.[0] ?? "";

    const response = await request.get(origin + script);

    expect(response.status()).toBe(200);
    expect(response.headers()["cache-control"]).toContain("immutable");
    expect(response.headers()["content-type"]).toContain("text/javascript");
  });
});
