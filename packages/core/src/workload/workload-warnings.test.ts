import { describe, expect, test } from "vitest";
import { listWarnings } from "./workload-warnings.ts";

const DIRECTORIES = {
  config: "/home/ada/.config/toolhive",
  data: "/home/ada/.local/share/toolhive",
  state: "/home/ada/.local/state/toolhive",
};

const listMountWarnings = (...volumes: string[]) =>
  listWarnings({ name: "files", transport: "stdio", volumes }, { directories: DIRECTORIES });

describe("a mount that hands over more than a folder is said to", () => {
  test.each([
    ["/:/host:ro", "the whole file system"],
    ["/proc:/host/proc:ro", "this machine's kernel"],
    ["/dev/sda:/disk", "this machine's kernel"],
    ["/sys/fs/cgroup:/cgroup", "this machine's kernel"],
    ["/var/run/docker.sock:/var/run/docker.sock", "controls this machine"],
    ["/run/user/1000/podman/podman.sock:/engine.sock:ro", "controls this machine"],
    ["/home/ada:/home/ada", 'ToolHive\'s own files in "/home/ada/.config/toolhive"'],
    ["/home/ada/.local/state/toolhive/runconfigs:/state", 'own files in "/home/ada/.local/state/toolhive"'],
  ])("%s", (volume, said) => {
    const warnings = listMountWarnings(volume);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(said);
    expect(warnings[0]).toContain(`"${volume.split(":")[0]}"`);
  });

  test("also when the permission profile mounts it", () => {
    expect(
      listWarnings(
        { name: "files", transport: "stdio", permission_profile: { read: ["/:/host"] } },
        { directories: DIRECTORIES },
      ),
    ).toHaveLength(1);
  });

  test("beside a rule that nobody enforces", () => {
    const permission_profile = { write: ["/:/host"], network: { outbound: { allow_host: ["a.test"] } } };
    const warnings = listWarnings(
      { name: "files", transport: "stdio", permission_profile },
      { directories: DIRECTORIES },
    );
    expect(warnings).toEqual([expect.stringContaining("not enforced"), expect.stringContaining("whole file system")]);
  });
});

test.each([
  ["/home/ada/projects:/work"],
  ["/srv/data:/data"],
  ["/processes:/p"],
  ["/home/ada/.config/toolhive-notes:/n"],
])("nothing is said of %s", (volume) => {
  expect(listMountWarnings(volume)).toEqual([]);
});
