import { describe, expect, test } from "vitest";
import { resolveDirectories, resolveHome } from "./directories.ts";

describe("resolveDirectories", () => {
  test("follows the XDG defaults on Linux", () => {
    expect(resolveDirectories({ env: {}, home: "/home/ada", platform: "linux" })).toEqual({
      config: "/home/ada/.config/toolhive",
      data: "/home/ada/.local/share/toolhive",
      state: "/home/ada/.local/state/toolhive",
    });
  });

  test("takes XDG variables on every system with paths of that form", () => {
    const env = { XDG_CONFIG_HOME: "/x/config", XDG_DATA_HOME: "/x/data", XDG_STATE_HOME: "/x/state" };

    for (const platform of ["linux", "darwin"] as const) {
      expect(resolveDirectories({ env, home: "/home/ada", platform })).toEqual({
        config: "/x/config/toolhive",
        data: "/x/data/toolhive",
        state: "/x/state/toolhive",
      });
    }
  });

  test.each(["", "relative/path", "./x", "~/x"])("ignores the relative XDG value %j", (value) => {
    const env = { XDG_STATE_HOME: value };

    expect(resolveDirectories({ env, home: "/home/ada", platform: "linux" }).state).toBe(
      "/home/ada/.local/state/toolhive",
    );
  });

  test("uses Application Support on macOS", () => {
    const path = "/Users/ada/Library/Application Support/toolhive";

    expect(resolveDirectories({ env: {}, home: "/Users/ada", platform: "darwin" })).toEqual({
      config: path,
      data: path,
      state: path,
    });
  });

  test("uses the local application data on Windows, with Windows paths", () => {
    const home = "C:\\Users\\ada";
    const path = "C:\\Users\\ada\\AppData\\Local\\toolhive";
    const moved = "D:\\Data\\toolhive";

    expect(resolveDirectories({ env: {}, home, platform: "win32" })).toEqual({ config: path, data: path, state: path });
    expect(resolveDirectories({ env: { LOCALAPPDATA: "D:\\Data" }, home, platform: "win32" }).state).toBe(moved);
    expect(resolveDirectories({ env: { XDG_STATE_HOME: "D:\\Data" }, home, platform: "win32" }).state).toBe(moved);
  });
});

test.each(["", "Data", "\\Data", "/Data", "C:Data"])(
  "a path of Windows without a drive, %j, names no directory",
  (value) => {
    const home = "C:\\Users\\ada";
    const path = "C:\\Users\\ada\\AppData\\Local\\toolhive";

    expect(resolveDirectories({ env: { LOCALAPPDATA: value }, home, platform: "win32" }).state).toBe(path);
    expect(resolveDirectories({ env: { XDG_STATE_HOME: value }, home, platform: "win32" }).state).toBe(path);
  },
);

test("the directories may be on a share", () => {
  const env = { LOCALAPPDATA: "\\\\server\\homes\\ada" };

  expect(resolveDirectories({ env, home: "C:\\Users\\ada", platform: "win32" }).state).toBe(
    "\\\\server\\homes\\ada\\toolhive",
  );
});

test("the user's folder on Windows is not what a shell calls HOME", () => {
  const env = { HOME: "C:\\msys64\\home\\ada", USERPROFILE: "C:\\Users\\ada" };

  expect(resolveHome(env, "win32")).toBe("C:\\Users\\ada");
  expect(resolveHome({ HOME: "/home/ada", USERPROFILE: "/mnt/c/Users/ada" }, "linux")).toBe("/home/ada");
});
