import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { findEntry, forget, readRecord, recordFile, remember, type AppliedPatch } from "./record.ts";

let home = "";
let env: NodeJS.ProcessEnv = {};
beforeEach(() => {
  home = newFolder();
  env = { HOME: home };
});

/** An entry whose folder exists unless told otherwise. */
function entry(name: string, more: Partial<AppliedPatch> = {}, isThere = true): AppliedPatch {
  const root = join(home, name);
  if (isThere) mkdirSync(root, { recursive: true });
  return {
    root,
    release: "2026.9.6",
    patchSet: "1",
    appliedAt: "2026-11-22T10:00:00.000Z",
    ways: ["project"],
    places: [root],
    ...more,
  };
}

describe("the record of patched installations", () => {
  test("has one entry for each real folder, and loses those whose folder is gone", () => {
    const [one, two, gone] = [entry("one"), entry("two"), entry("gone", {}, false)];
    for (const added of [one, gone, two]) expect(remember(added, env)).toBeUndefined();
    const again = { ...one, patchSet: "2" };
    remember(again, env);
    expect(readRecord(env)).toEqual([two, again]);
    expect(forget(two.root, env)).toBeUndefined();
    expect(readRecord(env)).toEqual([again]);
    expect(readdirSync(dirname(recordFile(env)))).toEqual(["applied.json"]);
  });

  test.each([
    "",
    "null",
    "[]",
    '{"version": 1, "applied": [{"root"',
    '{"version": 1, "applied": [null, 7, {"root": 3}]}',
    '{"version": 1}',
  ])("that reads %s counts as empty and is written anew", (text) => {
    mkdirSync(dirname(recordFile(env)), { recursive: true });
    writeFileSync(recordFile(env), text);
    expect(readRecord(env)).toEqual([]);
    expect(forget(join(home, "one"), env)).toBeUndefined();
    expect(remember(entry("one"), env)).toBeUndefined();
    expect(readRecord(env)).toHaveLength(1);
  });

  test("that cannot be written gives a warning and no error", () => {
    writeFileSync(join(home, ".openclaw"), "a file where the folder should be");
    expect(remember(entry("one"), env)).toContain("could not be written");
    expect(readRecord(env)).toEqual([]);
  });

  test("finds the entry of a folder that an update replaced by the place it is linked from", () => {
    const link = join(home, "node_modules", "openclaw");
    const [first, second, other] = [
      entry("first", { places: [link] }),
      entry("second", { places: [link] }),
      entry("other"),
    ];
    expect(findEntry([first, second, other], join(home, "third"), [link])).toBe(second);
    expect(findEntry([first, second, other], first.root, [link])).toBe(first);
    expect(findEntry([first], join(home, "third"), [join(home, "elsewhere")])).toBeUndefined();
  });
});

describe("OpenClaw's state directory", () => {
  const stateFolder = (variables: NodeJS.ProcessEnv): string => dirname(dirname(recordFile(variables)));

  test("is the one that OpenClaw takes from its variables", () => {
    expect(stateFolder(env)).toBe(join(home, ".openclaw"));
    expect(stateFolder({ ...env, OPENCLAW_HOME: join(home, "other") })).toBe(join(home, "other", ".openclaw"));
    expect(stateFolder({ ...env, OPENCLAW_HOME: "~/other", OPENCLAW_STATE_DIR: " ~/state " })).toBe(
      join(home, "other", "state"),
    );
    expect(stateFolder({ ...env, OPENCLAW_STATE_DIR: join(home, "named") })).toBe(join(home, "named"));
    expect(stateFolder({ ...env, OPENCLAW_STATE_DIR: "undefined" })).toBe(join(home, ".openclaw"));
  });

  test("is never made beside an older one, which a release of early 2026 would then lose sight of", () => {
    mkdirSync(join(home, ".clawdbot"));
    expect(remember(entry("one"), env)).toBeUndefined();
    expect(existsSync(join(home, ".openclaw"))).toBe(false);
    expect(readFileSync(join(home, ".clawdbot", "integrity", "applied.json"), "utf8")).toContain('"version": 1');
  });
});
