/** .github/workflows/port-propose.sh, which may push, on bundles from a job that ran foreign code. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";

const SCRIPT = fileURLToPath(new URL("../../../.github/workflows/port-propose.sh", import.meta.url));

let home = "";
let remote = "";
let work = "";
let job = "";
beforeEach(() => {
  home = newFolder();
  [remote, work, job] = ["remote.git", "work", "job"].map((name) => join(home, name)) as [string, string, string];
  git(home, "init", "--quiet", "--bare", "--initial-branch=main", remote);
  git(home, "clone", "--quiet", remote, job);
  put("releases/releases.json", "{}\n");
  put("src/index.ts", "export {};\n");
  commit("All");
  git(job, "push", "--quiet", "origin", "HEAD:main");
  git(home, "clone", "--quiet", remote, work);
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin", "gh"), '#!/bin/sh\nprintf "%s\\n" "$*" >> "$GH_SAID"\n');
  chmodSync(join(home, "bin", "gh"), 0o755);
});

function git(folder: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
}

function put(file: string, text: string): void {
  mkdirSync(dirname(join(job, file)), { recursive: true });
  writeFileSync(join(job, file), text);
}

function commit(message: string): void {
  git(job, "add", "--all");
  git(job, "commit", "--quiet", "--message", message);
}

/** Makes a branch of the job with what `change` does to its files. */
function branch(name: string, change: () => void): void {
  git(job, "checkout", "--quiet", "-B", name, "origin/main");
  change();
  commit(name);
}

function propose(): { readonly code: number | null; readonly text: string; readonly gh: string } {
  const bundle = join(home, "port.bundle");
  const refs = git(job, "for-each-ref", "--format=%(refname)", "refs/heads/port").split("\n");
  git(job, "bundle", "create", bundle, ...refs, "^origin/main");
  const said = join(home, "gh-said");
  const { status, stderr } = spawnSync("bash", [SCRIPT, bundle], {
    cwd: work,
    encoding: "utf8",
    env: { ...process.env, PATH: `${join(home, "bin")}:${process.env["PATH"]}`, GH_SAID: said },
  });
  return { code: status, text: stderr, gh: existsSync(said) ? readFileSync(said, "utf8") : "" };
}

const pushed = (): string => git(remote, "for-each-ref", "--format=%(refname:short)", "refs/heads/port");

test("a port is pushed and gets a pull request; one that needs a hand gets a draft", () => {
  branch("port/2026.10.1", () => {
    put("releases/releases.json", '{ "more": 1 }\n');
    put("patches/openclaw+2026.10.1+002+call-sites.patch", "patch\n");
    put("results/port/2026.10.1.md", "report\n");
  });
  branch("port/2026.10.2", () => put("results/port/2026.10.2.md", "report\n"));
  expect(propose()).toEqual({
    code: 0,
    text: "",
    gh: [
      "pr create --base main --head port/2026.10.1 --title Support OpenClaw 2026.10.1 --body-file body.md",
      "pr create --base main --head port/2026.10.2 --title OpenClaw 2026.10.2 needs a hand --body-file body.md --draft",
      "",
    ].join("\n"),
  });
  expect(pushed()).toBe("port/2026.10.1\nport/2026.10.2");
});

test.each([
  ["code", () => put("src/index.ts", "steal();\n")],
  ["a workflow", () => put(".github/workflows/more.yml", "on: push\n")],
  ["a file beside the records", () => put("releases/releases.json.ts", "")],
  ["a file in a folder of the reports", () => put("results/port/more/x.md", "")],
  ["a name with a blank", () => put("releases/releases.json and more", "")],
  ["a link", () => symlinkSync("/etc/passwd", join(job, "results", "port", "x.md"))],
])("a branch that changes %s is not pushed, whatever else it changes, and the others are", (_, change) => {
  branch("port/2026.10.1", () => {
    put("releases/releases.json", '{ "more": 1 }\n');
    put("results/port/2026.10.1.md", "report\n");
    change();
  });
  branch("port/2026.10.2", () => put("results/port/2026.10.2.md", "report\n"));
  const { code, text } = propose();
  expect(text).toContain("refused: port/2026.10.1 changes ");
  expect(code).toBe(1);
  expect(pushed()).toBe("port/2026.10.2");
});

const record = (): void => {
  put("releases/releases.json", '{ "more": 1 }\n');
  put("results/port/2026.10.1.md", "report\n");
};

test.each([
  ["changes code and takes that back", "changes src/index.ts", () => put("src/index.ts", "steal();\n")],
  ["adds a workflow and takes that back", "changes .github/", () => put(".github/workflows/more.yml", "on: push\n")],
  [
    "adds a link and takes that back",
    "changes results/",
    () => symlinkSync("/etc", join(job, "results", "port", "x.md")),
  ],
])("a branch that %s is not pushed: each of its commits comes into the history", (_, words, change) => {
  branch("port/2026.10.1", () => {
    record();
    commit("port");
    change();
    commit("more");
    git(job, "revert", "--no-edit", "HEAD");
    put("results/port/2026.10.1.md", "report of it\n");
  });
  branch("port/2026.10.2", () => put("results/port/2026.10.2.md", "report\n"));
  const { code, text } = propose();
  expect(text).toContain(`refused: port/2026.10.1 ${words}`);
  expect(code).toBe(1);
  expect(pushed()).toBe("port/2026.10.2");
});

test("a branch with a merge is not pushed, and one that begins with a history of its own neither", () => {
  branch("side", () => put("src/index.ts", "steal();\n"));
  branch("port/2026.10.1", record);
  git(job, "merge", "--quiet", "--no-edit", "--strategy", "ours", "side");
  git(job, "checkout", "--quiet", "--orphan", "port/2026.10.2");
  put("results/port/2026.10.2.md", "report\n");
  commit("port");
  const { code, text } = propose();
  expect(text).toContain("refused: port/2026.10.1 has a merge");
  expect(text).toContain("refused: port/2026.10.2 changes ");
  expect(code).toBe(1);
  expect(pushed()).toBe("");
});

test("a branch of several commits that change nothing else is pushed, also behind an earlier port", () => {
  branch("port/2026.10.1", record);
  put("results/port/2026.10.1.md", "another report\n");
  commit("again");
  git(job, "checkout", "--quiet", "-b", "port/2026.10.2");
  put("results/port/2026.10.2.md", "report\n");
  commit("next");
  expect(propose()).toMatchObject({ code: 0, text: "" });
  expect(pushed()).toBe("port/2026.10.1\nport/2026.10.2");
});

test("a branch whose name is no release is not pushed", () => {
  branch("port/main", () => put("results/port/main.md", "report\n"));
  branch("port/2026.10.1;x", () => put("results/port/x.md", "report\n"));
  const { code, gh } = propose();
  expect(code).toBe(1);
  expect(gh).toBe("");
  expect(pushed()).toBe("");
});
