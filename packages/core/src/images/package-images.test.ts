import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ThvError } from "../support/errors.ts";
import { Life } from "../testing/life.ts";
import { readStatus, World } from "../testing/world.ts";
import { formatDockerfile, getEntryPoint } from "./dockerfile.ts";
import { parseImageReference } from "./image-reference.ts";
import { deriveRepository, listSpecifiers, parsePackageTarget } from "./package-target.ts";

const WAIT = { timeout: 20_000, interval: 10 };

describe("parsePackageTarget", () => {
  test.each([
    ["npx://server", ["server"], "toolhivelocal/npx-server"],
    ["npx://@Acme/weather@1.4.0-rc.1", ["@Acme/weather@1.4.0-rc.1"], "toolhivelocal/npx-acme-weather-1-4-0-rc-1"],
    ["npx://server@latest", ["server@latest"], "toolhivelocal/npx-server-latest"],
    ["npx://server@^1.2", ["server@^1.2"], "toolhivelocal/npx-server-1-2"],
    ["npx://server@1.2#tool", ["server@1.2"], "toolhivelocal/npx-server-1-2-tool"],
    ["npx://server@>=1.2,<2||^3", ["server@>=1.2 <2||^3"], "toolhivelocal/npx-server-1-2-2-3"],
    ["npx://server@1.x#a_b", ["server@1.x"], "toolhivelocal/npx-server-1-x-a-b"],
    [
      "npx://github:owner/repo@v1/next#tool",
      ["github:owner/repo#v1/next"],
      "toolhivelocal/npx-github-owner-repo-v1-next-tool",
    ],
    [
      "npx://git+https://git.example:8443/a/b.git",
      ["git+https://git.example:8443/a/b.git"],
      "toolhivelocal/npx-git-https-git-example-8443-a-b-git",
    ],
    ["uvx://server>=1.2,<2", ["server>=1.2,<2"], "toolhivelocal/uvx-server-1-2-2"],
    ["uvx://server[cli]~=1.2", ["server[cli]~=1.2"], "toolhivelocal/uvx-server-cli-1-2"],
    [
      "uvx://github:owner/repo@0a1b",
      ["git+https://github.com/owner/repo@0a1b"],
      "toolhivelocal/uvx-github-owner-repo-0a1b",
    ],
    [
      "uvx://git+https://git.example/a/b@main#subdirectory=src/one#tool",
      ["git+https://git.example/a/b@main#subdirectory=src/one"],
      "toolhivelocal/uvx-git-https-git-example-a-b-main-tool",
    ],
    ["uvx://mcp-server-time", ["mcp-server-time"], "toolhivelocal/uvx-mcp-server-time"],
    ["uvx://mcp[cli]==1.9.0", ["mcp[cli]==1.9.0"], "toolhivelocal/uvx-mcp-cli-1-9-0"],
    ["uvx://word-server#word_server", ["word-server"], "toolhivelocal/uvx-word-server-word-server"],
    ["go://example.com/user/server", ["example.com/user/server@latest"], "toolhivelocal/go-example-com-user-server"],
    [
      "go://github.com/user/server/v2/cmd/x@v2.1.0",
      ["github.com/user/server/v2/cmd/x@v2.1.0"],
      "toolhivelocal/go-github-com-user-server-v2-cmd-x-v2-1-0",
    ],
    ["go:///srv/My Server/", [], "toolhivelocal/go-my-server"],
    ["go:///", [], "toolhivelocal/go-root"],
  ])("takes %s", (text, specifiers, repository) => {
    const target = parsePackageTarget(text);

    expect(target && [listSpecifiers(target), deriveRepository(target)]).toEqual([specifiers, repository]);
  });

  test.each([
    ["go://example.com/user/server@v1", "server"],
    ["go://example.com/user/server/v2", "server"],
    ["go://example.com/user/server/cmd/x@latest", "x"],
    ["go:///srv/anything", "server"],
  ])("finds the program of %s by its path", (text, program) => {
    const target = parsePackageTarget(text);

    expect(target && getEntryPoint(target)).toEqual([`/opt/toolhive/bin/${program}`]);
  });

  test.each(["mcp/everything:1", "everything", "http://x", "NPX://server", ""])("leaves %j to others", (text) => {
    expect(parsePackageTarget(text)).toBeUndefined();
  });

  test.each([
    ...[
      "npx://",
      "npx://-y",
      "npx://a b",
      "npx://a\nRUN evil",
      'npx://a"]',
      "npx://../x",
      "npx://a/b",
      "npx://@a",
      "npx://a@",
    ],
    ...[
      "npx://a#",
      "npx://a#-x",
      "npx://a#b c",
      "npx://a#$(b)",
      "npx://a#b#c",
      "npx://#b",
      "uvx://a#b/c",
      "go://x.org/y#z",
    ],
    ...["npx://a;b", "npx://$(x)", "npx://git+https://x", "uvx://--from", "uvx://a b", "uvx://a[", "uvx://a==1; x"],
    ...["go://", "go://server", "go://example.com", "go://example.com/../x", "go://example.com/a b", "go://-x.com/a b"],
    ...["go://./x", "go://../x", "go://.", "go://..", "go:///a\0b", `npx://${"a".repeat(400)}`],
  ])("refuses %j", (text) => {
    expect(() => parsePackageTarget(text)).toThrow(ThvError);
  });

  test("whatever is accepted stays one line of the Dockerfile, its words, and a valid repository", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("npx", "uvx", "go"),
        fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.stringMatching(/^[@a-z./[\]=~^#-]{1,20}$/)),
        (scheme, name) => {
          let target: ReturnType<typeof parsePackageTarget>;
          try {
            target = parsePackageTarget(`${scheme}://${name}`);
          } catch {
            // Refused is fine, too.
            return;
          }
          if (!target) throw new Error("a scheme was not seen");
          if (target.kind === "folder") return;
          const plain = formatDockerfile({ kind: "package", scheme: target.scheme, name: "x" }, { hasCa: false });
          const made = formatDockerfile(target, { hasCa: false });
          expect(made.split("\n")).toHaveLength(plain.split("\n").length);
          expect(readInstallation(made).slice(-1)).toEqual(listSpecifiers(target));
          expect(parseImageReference(`${deriveRepository(target)}:0`).repository).toBe(deriveRepository(target));
        },
      ),
    );
  });
});

/** The words of the instruction that installs the package. */
function readInstallation(dockerfile: string): string[] {
  const line =
    /^RUN (\["(?:node|sh","\/opt|go)".*)$/m.exec(dockerfile)?.[1] ?? /^RUN (\["sh","\/opt.*)$/m.exec(dockerfile)?.[1];
  return JSON.parse(line ?? "[]");
}

describe("formatDockerfile", () => {
  const npx = { kind: "package", scheme: "npx", name: "server" } as const;

  test.each([
    ["npx", "docker.io/library/node:24-slim"],
    ["uvx", "docker.io/library/python:3.13-slim"],
    ["go", "docker.io/library/debian:13-slim"],
  ] as const)("makes an image of %s without rights, with Git, that starts what was installed", (scheme, base) => {
    const target = { ...npx, scheme, name: "example.com/server" };
    const lines = formatDockerfile(target, { hasCa: false }).split("\n");

    const last = lines.findLastIndex((line) => line.startsWith("FROM "));
    expect(lines[last]).toBe(`FROM ${base}`);
    expect(lines.slice(last).join("\n")).toContain("ca-certificates git");
    expect(lines.slice(-4)).toEqual([
      "WORKDIR /home/toolhive",
      "USER 10001:10001",
      scheme === "go" ? 'ENTRYPOINT ["/opt/toolhive/bin/server"]' : 'ENTRYPOINT ["sh","/opt/toolhive/start"]',
      "",
    ]);
    expect(lines.join("\n")).not.toMatch(/amd64|GOARCH/);
  });

  test.each([undefined, "registry.example/own:1"])("gives the user a name, also on the base image %s", (base) => {
    const text = formatDockerfile(npx, { base, hasCa: false });

    expect(text).toContain("toolhive:x:10001:10001::/home/toolhive:/bin/sh >> /etc/passwd");
  });

  test("installs in one layer, and a second build never takes what an earlier one has installed", () => {
    const lines = formatDockerfile({ ...npx, program: "tool" }, { hasCa: false }).split("\n");

    const run = lines.indexOf('RUN ["node","/opt/toolhive/install.cjs","/opt/toolhive","tool","server"]');
    expect(lines[run - 1]).toBe("ARG TOOLHIVE_BUILD");
  });

  test.each([
    ["npx", ["zod@>=3,<4"], ["server@1", "zod@>=3 <4"]],
    ["uvx", ["mcp<2", "x"], ["--with", "mcp<2", "--with", "x", "server@1"]],
  ] as const)("installs with a package of %s what is named", (scheme, extra, words) => {
    const text = formatDockerfile({ ...npx, scheme, name: "server@1" }, { extra, hasCa: false });

    expect(readInstallation(text).slice(3)).toEqual(["", ...words]);
  });

  test("adds uv where a base image of Python lacks it", () => {
    const text = formatDockerfile({ ...npx, scheme: "uvx" }, { base: "python:3.11-slim", hasCa: false });

    expect(text).toMatch(/^FROM python:3\.11-slim\n(?:RUN .*\n)?RUN .*command -v uv >\/dev\/null \|\| pip install/);
  });

  test.each(["npx", "uvx"] as const)("a program of .NET in a package of %s starts without ICU", (scheme) => {
    const text = formatDockerfile({ ...npx, scheme }, { hasCa: false });

    expect(text).toContain('ENV DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1"');
  });

  test("builds a program of Go apart, with the Go that its module asks for, and takes the program only", () => {
    const text = formatDockerfile({ ...npx, scheme: "go", name: "example.com/x@v1" }, { hasCa: false });

    expect(text).toMatch(/^FROM docker\.io\/library\/golang:1\.26 AS build\n/);
    expect(text).toContain('ENV GOTOOLCHAIN="auto"');
    expect(text).toContain("LABEL toolhive-build-stage=$TOOLHIVE_BUILD");
    expect(text).toContain('RUN ["go","install","example.com/x@v1"]');
    expect(text).toContain("COPY --from=build /opt/toolhive/bin /opt/toolhive/bin");
  });

  test("installs nothing of Debian on a base image that somebody chose", () => {
    const text = formatDockerfile(npx, { base: "registry.example/node:1", hasCa: true });

    expect(text).toMatch(/^FROM registry\.example\/node:1\n/);
    expect(text).not.toContain("apt-get");
    expect(text).toContain('ENV NODE_EXTRA_CA_CERTS="/etc/toolhive/toolhive-ca.pem"');
  });

  test.each(["npx", "uvx", "go"] as const)("trusts the certificate before %s needs the network", (scheme) => {
    const text = formatDockerfile({ ...npx, scheme, name: "example.com/x" }, { hasCa: true });

    const trusts = text.indexOf(">> /etc/ssl/certs/ca-certificates.crt");
    expect(trusts).toBeGreaterThan(text.indexOf("COPY toolhive-ca.pem"));
    const needs = [...text.matchAll(/^RUN .*(?:pip|install\.(?:cjs|sh)|"go").*$/gm)].map(({ index }) => index);
    expect(needs.length).toBeGreaterThan(0);
    expect(Math.min(...needs)).toBeGreaterThan(trusts);
  });
});

describe("a workload that is created from a package", () => {
  const target = "npx://@acme/weather@1.4.0";

  async function boot() {
    const world = new World();
    const { supervisor } = await world.boot();
    return { world, supervisor, [Symbol.asyncDispose]: () => supervisor.close({ keepContainers: false }) };
  }
  const untilRunning = (supervisor: Awaited<ReturnType<typeof boot>>["supervisor"], name: string) =>
    vi.waitFor(() => expect(readStatus(supervisor, name)).toBe("running"), WAIT);
  const builds = (world: World) => world.engine.calls.filter((call) => call === "buildImage").length;
  const SETUP = "toolhivelocal/setup-npx:latest";

  test("gets an image that is built once, shared, and removed with the last one that uses it", async () => {
    await using booted = await boot();
    const { world, supervisor } = booted;

    const one = await supervisor.create({ image: target, name: "one" });
    await untilRunning(supervisor, "one");
    await supervisor.create({ image: target, name: "two" });
    await untilRunning(supervisor, "two");

    const { image = "" } = world.config("one") ?? {};
    expect(image).toMatch(/^toolhivelocal\/npx-acme-weather-1-4-0:[0-9a-f]{16}$/);
    // People see what they have run.
    expect(one.package).toBe(target);
    // The second image keeps what all packages of npm have in common.
    expect(builds(world)).toBe(2);
    expect([...world.engine.images.keys()].filter((name) => name.startsWith("toolhivelocal/")).sort()).toEqual([
      image,
      SETUP,
    ]);

    await (await supervisor.delete("one")).done;
    expect(world.engine.images.has(image)).toBe(true);
    await (await supervisor.delete("two")).done;
    await vi.waitFor(() => expect(world.engine.images.has(image)).toBe(false), WAIT);
    expect(world.engine.images.has(SETUP)).toBe(true);
  });

  test("runs also when the layers that packages share cannot be kept", async () => {
    await using booted = await boot();
    const { world, supervisor } = booted;
    world.engine.interfere("buildImage", async (proceed) => {
      world.engine.interfere("buildImage", async () => {
        throw new ThvError("BUILD_FAILED", "The image could not be built: no space");
      });
      return await proceed();
    });

    await supervisor.create({ image: target, name: "one" });

    await untilRunning(supervisor, "one");
    expect(world.engine.images.has(SETUP)).toBe(false);
  });

  test("is built again when the image was cleared away, also under the feet of its start", async () => {
    await using booted = await boot();
    const { world, supervisor } = booted;
    await supervisor.create({ image: target, name: "one" });
    await untilRunning(supervisor, "one");
    const { image = "" } = world.config("one") ?? {};
    await (await supervisor.stop("one")).done;
    for (const container of [...world.engine.containers.values()]) world.engine.remove(container);
    world.engine.interfere("createContainer", async (proceed) => {
      world.engine.images.delete(image);
      return await proceed();
    });

    await (await supervisor.restart("one")).done;

    expect(readStatus(supervisor, "one")).toBe("running");
    expect(builds(world)).toBe(4);
  });

  test("is in error with the reason when its build fails", async () => {
    await using booted = await boot();
    const { world, supervisor } = booted;
    const failure = new ThvError("BUILD_FAILED", "The image could not be built: no such base", { detail: "Step 1" });
    world.engine.interfere("buildImage", async () => {
      throw failure;
    });

    await supervisor.create({ image: target, name: "one" });

    await vi.waitFor(() => expect(readStatus(supervisor, "one")).toBe("error"), WAIT);
    expect(supervisor.describe("one")).toMatchObject({
      statusContext: "The image could not be built: no such base Step 1",
      error: { code: "BUILD_FAILED" },
    });
  });

  test.each([
    ['Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host', true],
    ["pull access denied for library/node, repository does not exist", true],
    ["The command npm returned a non-zero code: 1", false],
  ])("whose build ends with %j has a hint about its base image: %s", async (reason, isAboutBase) => {
    await using booted = await boot();
    const { world, supervisor } = booted;
    world.engine.interfere("buildImage", async () => {
      throw new ThvError("BUILD_FAILED", `The image could not be built: ${reason}`, { hint: "Check the package." });
    });

    await supervisor.create({ image: target, name: "one" });

    await vi.waitFor(() => expect(readStatus(supervisor, "one")).toBe("error"), WAIT);
    expect(supervisor.describe("one").error?.hint?.includes("TOOLHIVE_NPX_BASE_IMAGE")).toBe(isAboutBase);
  });

  test("is refused with a bad name before anything is saved", async () => {
    await using booted = await boot();
    const { world, supervisor } = booted;

    await expect(supervisor.create({ image: "npx://a b" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });

    expect([world.disk.size, world.engine.calls.includes("buildImage")]).toEqual([0, false]);
  });

  test("comes back from its configuration after its supervisor was killed", async () => {
    const world = new World();
    const life = new Life();
    const { supervisor } = await world.boot(life);
    await supervisor.create({ image: target, name: "one" });
    await untilRunning(supervisor, "one");
    life.kill();
    for (const container of [...world.engine.containers.values()]) world.engine.remove(container);
    world.engine.images.clear();

    const next = await world.boot();
    await untilRunning(next.supervisor, "one");

    expect(next.supervisor.describe("one").package).toBe(target);
    await next.supervisor.close({ keepContainers: false });
  });
});
