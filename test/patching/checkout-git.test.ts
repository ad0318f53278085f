import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { applyToCheckout, revertCheckout, verifyCheckout } from "../../src/patching/checkout/apply.ts";
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
