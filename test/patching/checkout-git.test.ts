import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { applyToCheckout, revertCheckout, verifyCheckout } from "../../src/patching/checkout/apply.ts";
import { changedInGit, committedInGit, isIgnoredInGit } from "../../src/patching/checkout/git.ts";
import { writeSeries } from "../../src/patching/checkout/series.ts";
import { committed, git, newCheckout } from "./checkout-fixture.ts";
import { STUB_GUARD } from "./fixture.ts";

const stub = { guard: STUB_GUARD };

const SETTINGS = `[diff]
noprefix = true
[format]
coverLetter = true
suffix = .mbox
thread = deep
attach = part
subjectPrefix = MINE
pretty = oneline
[user]
useConfigOnly = true
`;

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the user's settings of git change nothing in the series, which git am takes", () => {
  const plain = newFolder();
  const root = newCheckout();
  const files = writeSeries(root, plain, stub);
  const home = newFolder();
  writeFileSync(join(home, ".gitconfig"), SETTINGS);
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", home);
  const folder = newFolder();
  expect(writeSeries(root, folder, stub)).toEqual(files);
  vi.unstubAllEnvs();
  const diff = (file: string): string => file.slice(file.indexOf("Subject: "));
  for (const file of files)
    expect(diff(readFileSync(join(folder, file), "utf8"))).toBe(diff(readFileSync(join(plain, file), "utf8")));
  git(committed(root), "am", "--quiet", ...files.map((file) => join(folder, file)));
});

test("sources in a folder of a larger repository: what is not committed in them is found, the rest does not count", () => {
  const repository = newFolder();
  const root = join(repository, "vendor of ours", "openclaw");
  mkdirSync(root, { recursive: true });
  cpSync(newCheckout(), root, { recursive: true });
  writeFileSync(join(repository, "other.txt"), "1\n");
  committed(repository);
  appendFileSync(join(repository, "other.txt"), "2\n");
  expect(applyToCheckout(root, stub).action).toBe("applied");
  // Our own lines are no change of somebody else.
  expect(applyToCheckout(root, { guard: `${STUB_GUARD}// newer\n` }).action).toBe("updated");
  revertCheckout(root);
  appendFileSync(join(root, "src/agents/history.ts"), "// mine\n");
  expect(() => applyToCheckout(root, stub)).toThrow(/found a change: src\/agents\/history\.ts\. Commit or stash/);
});

test("a patch that is committed is replaced and taken out without being called a change of somebody else", () => {
  const root = newCheckout();
  writeFileSync(join(root, ".gitignore"), "vendor/\n");
  committed(root);
  applyToCheckout(root, stub);
  git(root, "add", "--force", "--all");
  git(root, "commit", "--quiet", "-m", "patched");
  const older = { guard: `${STUB_GUARD}// older\n` };
  expect(applyToCheckout(root, older).action).toBe("updated");
  // Nothing of that is committed, and it is ours.
  expect(applyToCheckout(root, stub).action).toBe("updated");
  revertCheckout(root);
  expect(applyToCheckout(root, stub).action).toBe("applied");
  expect(git(root, "status", "--porcelain")).toBe("");
  appendFileSync(join(root, "vendor/openclaw-integrity/guard.mjs"), "// mine\n");
  expect(() => applyToCheckout(root, stub)).toThrow(/found a change: vendor\/openclaw-integrity\/guard\.mjs\./);
  // What is committed can be had back.
  git(root, "commit", "--quiet", "--all", "-m", "mine");
  expect(applyToCheckout(root, stub).action).toBe("updated");
  expect(verifyCheckout(root, stub).state).toBe("patched");
});

test("a machine without git is told so", () => {
  const root = newCheckout();
  mkdirSync(join(root, ".git"));
  vi.stubEnv("PATH", newFolder());
  expect(() => applyToCheckout(root, stub)).toThrow(/found no program git.*--dirty/);
  const folder = join(newFolder(), "patches");
  expect(() => writeSeries(root, folder, stub)).toThrow(/expected git init to succeed.*found no program git/);
  expect(existsSync(folder)).toBe(false);
});

test("what a killed command leaves in a checkout comes into nobody's commit", () => {
  const root = committed(newCheckout());
  const added: string[] = [];
  const onStep = (): void => void added.push(git(root, "add", "--all", "--dry-run"));
  applyToCheckout(root, { ...stub, onStep });
  expect(added.length).toBeGreaterThan(3);
  expect(added.join("")).not.toContain("stage");
});

test("a series of which a kill has left a part is no series, and the next one takes its place", () => {
  const root = newCheckout();
  const folder = newFolder();
  mkdirSync(join(folder, ".openclaw-integrity-partial"));
  writeFileSync(join(folder, ".openclaw-integrity-partial", "0001-half.patch"), "");
  const files = writeSeries(root, folder, stub);
  expect(readdirSync(folder).toSorted()).toEqual(files);
});

const SOURCE = "src/agents/history.ts";

/** What a tree's own settings can name; each gets a command that leaves a mark. */
const TREES: Readonly<Record<string, (root: string, command: string) => void>> = {
  "a filter": (root, command) => {
    writeFileSync(join(root, ".gitattributes"), "* filter=e.x\n");
    set(root, "filter.e.x.clean", `${command}; cat`);
    set(root, "filter.e.x.required", "true");
  },
  "a filter that runs on, in an included file": (root, command) => {
    writeFileSync(join(root, ".git", "info", "attributes"), "* filter=e\n");
    writeFileSync(join(root, ".git", "more"), `[filter "e"]\n\tprocess = ${command}\n`);
    set(root, "include.path", "more");
  },
  "a filter in the settings of the work tree": (root, command) => {
    writeFileSync(join(root, ".gitattributes"), "* filter=e\n");
    set(root, "extensions.worktreeConfig", "true");
    git(root, "config", "--worktree", "filter.e.clean", `${command}; cat`);
  },
  "a monitor of files": (root, command) => set(root, "core.fsmonitor", command),
  "a submodule with a filter of its own": (root, command) => {
    const inner = join(root, "inner");
    mkdirSync(inner);
    writeFileSync(join(inner, "file"), "1\n");
    writeFileSync(join(inner, ".gitattributes"), "* filter=e\n");
    committed(inner);
    git(root, "add", "inner");
    git(root, "commit", "--quiet", "-m", "inner");
    set(inner, "filter.e.clean", `${command}; cat`);
    utimesSync(join(inner, "file"), 0, 0);
  },
  ...Object.fromEntries(
    ["ext::sh -c COMMAND", "ssh://host/path", "/nowhere"].map((url) => [
      `objects that have to be fetched from ${url}`,
      (root: string, command: string) => {
        for (const [name, value] of Object.entries({
          "core.repositoryFormatVersion": "1",
          "extensions.partialClone": "away",
          "remote.away.promisor": "true",
          "remote.away.url": url.replace("COMMAND", command.replaceAll(" ", "% ")),
          "remote.away.uploadPack": `${command};`,
          "core.sshCommand": `${command};`,
          "protocol.allow": "always",
          "protocol.ext.allow": "always",
        }))
          set(root, name, value);
        const id = git(root, "rev-parse", `HEAD:${SOURCE}`).trim();
        rmSync(join(root, ".git", "objects", id.slice(0, 2), id.slice(2)));
      },
    ]),
  ),
};

function set(root: string, name: string, value: string): void {
  git(root, "config", name, value);
}

test.each(Object.keys(TREES))(
  "a tree that names %s has no program of it run, and what is changed in it is seen",
  (name) => {
    const root = committed(newCheckout());
    const marker = join(newFolder(), "ran");
    TREES[name]!(root, `touch ${marker}`);
    // Git looks into a file whose time is another one.
    for (const file of ["package.json", SOURCE]) utimesSync(join(root, file), 0, 0);
    expect(changedInGit(root).filter((file) => file !== ".gitattributes")).toEqual([]);
    expect(isIgnoredInGit(root, "vendor/x")).toBe(false);
    committedInGit(root, SOURCE);
    appendFileSync(join(root, SOURCE), "// mine\n");
    expect(changedInGit(root).filter((file) => file !== ".gitattributes")).toEqual([SOURCE]);
    expect(() => applyToCheckout(root, stub)).toThrow(/src\/agents\/history\.ts.* Commit or stash/);
    expect(existsSync(marker)).toBe(false);
  },
);

test("a filter whose name no option can have is refused by it, and settings for another folder tell nothing", () => {
  const root = committed(newCheckout());
  const marker = join(newFolder(), "ran");
  writeFileSync(join(root, ".gitattributes"), "* filter=a=b\n");
  appendFileSync(join(root, ".git", "config"), `[filter "a=b"]\n\tclean = touch ${marker}; cat\n`);
  utimesSync(join(root, SOURCE), 0, 0);
  expect(() => applyToCheckout(root, stub)).toThrow(/found "a=b"\. Remove it from the settings of git/);
  expect(existsSync(marker)).toBe(false);
  const other = committed(newCheckout());
  set(other, "core.worktree", root);
  expect(() => applyToCheckout(other, stub)).toThrow(expect.objectContaining({ code: "git-failed" }));
});
