import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findCompletion } from "./find-completion.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "thv-completion-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Only folders of this test, and none of the machine's. */
const environment = (shell: string) => ({ SHELL: shell, XDG_DATA_DIRS: join(home, "usr"), HOMEBREW_PREFIX: home });

async function plant(path: string, text = ""): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

describe("the completion", () => {
  test.each([
    ["bash", ".local/share/bash-completion/completions/thv"],
    ["bash", "usr/bash-completion/completions/thv"],
    ["bash", "etc/bash_completion.d/thv"],
    ["zsh", ".zfunc/_thv"],
    ["zsh", "usr/zsh/vendor-completions/_thv"],
    ["zsh", "share/zsh/site-functions/_thv"],
    ["fish", ".config/fish/completions/thv.fish"],
    ["fish", "usr/fish/vendor_completions.d/thv.fish"],
  ])("of %s is found in %s", async (shell, path) => {
    const file = await plant(path);

    expect(await findCompletion(environment(`/usr/bin/${shell}`), home)).toMatchObject({ shell, file });
  });

  test.each([
    ["bash", ".bashrc", "source <(thv completion bash)\n"],
    ["zsh", ".zshrc", 'export A=1\neval "$(thv completion zsh)"\n'],
    ["fish", ".config/fish/config.fish", "thv completion fish | source\n"],
  ])("of %s is found in %s", async (shell, path, text) => {
    const file = await plant(path, text);

    expect(await findCompletion(environment(shell), home)).toMatchObject({ shell, file });
  });

  test("is not found in a comment, in another shell's file or in a file that cannot be read", async () => {
    await plant(".bashrc", "# source <(thv completion bash)\nalias t=thv\n");
    await plant(".zfunc/_thv");
    await mkdir(join(home, ".profile"));

    expect((await findCompletion(environment("/bin/bash"), home))?.file).toBeUndefined();
  });

  test.each(["", "/bin/sh", "/usr/bin/nu", "pwsh"])("is not expected of %j", async (shell) => {
    expect(await findCompletion(environment(shell), home)).toBeUndefined();
    expect(await findCompletion({}, home)).toBeUndefined();
  });

  test.each(["bash", "zsh", "fish"])("of %s is found after its command has set it up", async (shell) => {
    const env = environment(shell);
    const { setUp, file } = (await findCompletion(env, home)) ?? { setUp: "false" };
    expect(file).toBeUndefined();

    // A thv that prints something; what the real one prints is tried in shells.test.ts.
    execFileSync("sh", ["-c", `thv() { echo "$@"; }\n${setUp}`], { env: { PATH: process.env.PATH, HOME: home } });

    expect((await findCompletion(env, home))?.file).toContain(home);
  });
});
