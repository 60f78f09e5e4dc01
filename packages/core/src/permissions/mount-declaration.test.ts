import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatMountDeclaration, parseMountDeclaration, resolveSource } from "./mount-declaration.ts";

function parse(text: string) {
  const declaration = parseMountDeclaration(text);
  if (typeof declaration === "string") throw new Error(declaration);
  return declaration;
}

describe("a mount declaration", () => {
  test.each([
    ["/srv/a", "/srv/a", "/srv/a"],
    ["/srv/a:/data", "/srv/a", "/data"],
    ["./a:/data", "a", "/data"],
    ["../a/:/data/", "../a", "/data"],
    ["/srv/./a//b/../c:/x/../data", "/srv/a/c", "/data"],
    ["a:/data", "a", "/data"],
    ["C:\\Users\\me:/data", "C:\\Users\\me", "/data"],
    ["c:/Users/me:/data", "c:\\Users\\me", "/data"],
    ["C:\\Users\\me:/data:ro", "C:\\Users\\me", "/data"],
    ["/with space:/data", "/with space", "/data"],
  ])("%j mounts %j at %j", (text, source, target) => {
    expect(parse(text)).toMatchObject({ source, target });
  });

  test.each([
    ["/a:/b", undefined, undefined],
    ["/a:/b:ro", true, undefined],
    ["/a:/b:rw", false, undefined],
    ["/a:/b:z", undefined, "shared"],
    ["/a:/b:Z", undefined, "private"],
    ["/a:/b:ro,z", true, "shared"],
    ["/a:/b:Z,rw", false, "private"],
    ["/a:ro", true, undefined],
  ])("%j has readOnly %s and relabel %s", (text, readOnly, relabel) => {
    expect(parse(text)).toMatchObject({ readOnly, relabel });
  });

  test.each([
    ["", "no path"],
    [":/data", "no path"],
    ["/a:data", "absolute path in the container"],
    ["relative", "absolute path in the container"],
    ["C:\\data", "absolute path in the container"],
    ["/a:/b:/c", "too many parts"],
    ["/a:/b:rx", "too many parts"],
    ["/a:/b:ro,rw", "both ro and rw"],
    ["/a:/b:z,Z", "both z and Z"],
    ["/a:/", "would take the place of /"],
    ["/a:/x/..", "would take the place of /"],
    ["/a:/proc/1", "would take the place of /proc/1"],
    ["/a:/dev/shm", "would take the place of /dev/shm"],
    ["/a:/sys", "would take the place of /sys"],
    ["volume://data:/data", "names a resource"],
    ["$HOME:/data", "one of the characters"],
    ["/a;b:/data", "one of the characters"],
    ["/a&b", "one of the characters"],
    ["/a|b", "one of the characters"],
    ["/a`b`", "one of the characters"],
    ["/a\0b", "one of the characters"],
    ["/a\nb", "one of the characters"],
  ])("%j is refused: %s", (text, problem) => {
    expect(parseMountDeclaration(text)).toContain(problem);
  });

  test.each([
    ["C:\\Users\\x:/data:ro", "C:\\Users\\x", "/data"],
    ["C:/Users/x:/data:ro", "C:\\Users\\x", "/data"],
    ["C://Users/x:/data", "C:\\Users\\x", "/data"],
    ["D:\\a\\..\\b\\:/data", "D:\\b\\", "/data"],
    ["C:\\:/data", "C:\\", "/data"],
    [".\\notes:/data", "E:\\work\\notes", "/data"],
    ["..\\notes:/data", "E:\\notes", "/data"],
    ["notes/a:/data", "E:\\work\\notes\\a", "/data"],
    ["\\temp:/data", "E:\\temp", "/data"],
    ["/temp:/data", "E:\\temp", "/data"],
  ])("on Windows %j mounts %j at %j", (text, source, target) => {
    const declaration = parseMountDeclaration(text, "win32");
    if (typeof declaration === "string") throw new Error(declaration);
    const whole = resolveSource(declaration, "E:\\work", "win32");

    expect(whole).toMatchObject({ source, target });
    expect(parseMountDeclaration(formatMountDeclaration(whole), "win32")).toEqual(whole);
  });

  test.each([
    ["C:\\Users\\x", "absolute path in the container"],
    ["C:/Users/x", "absolute path in the container"],
    ["C:/Users/x:ro", "absolute path in the container"],
    ["C:\\a:C:\\b", "too many parts"],
    ["\\\\server\\share:/data", "names a share or a pipe"],
    ["//server/share:/data", "names a share or a pipe"],
    ["\\\\.\\pipe\\docker_engine:/var/run/docker.sock", "names a share or a pipe"],
    ["volume://data:/data", "names a resource"],
  ])("on Windows %j is refused: %s", (text, problem) => {
    expect(parseMountDeclaration(text, "win32")).toContain(problem);
  });

  test("means the same after it was written out and read again", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9 ._-]{1,12}$/).filter((part) => part !== "." && part !== "..");
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
    const options = fc.constantFrom("", ":ro", ":rw", ":z", ":ro,Z");
    fc.assert(
      fc.property(path, path, options, (source, target, suffix) => {
        const declaration = parseMountDeclaration(`${source}:${target}${suffix}`);
        fc.pre(typeof declaration !== "string");

        expect(parseMountDeclaration(formatMountDeclaration(declaration))).toEqual(declaration);
      }),
    );
  });

  test.each([
    ["a:/data", "/home/me/a"],
    ["../a:/data", "/home/a"],
    ["/a:/data", "/a"],
    ["C:\\a:/data", "C:\\a"],
  ])("%j begins at the caller's folder when it is relative", (text, source) => {
    expect(resolveSource(parse(text), "/home/me")).toMatchObject({ source });
  });
});
