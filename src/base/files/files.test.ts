import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NOBODY, reachable, runAsNobody } from "../../../harness/nobody.ts";
import { newFolder } from "../../../harness/temporary.ts";
import {
  createFile,
  Draft,
  Folder,
  keepPrivate,
  makeFolder,
  resolvePlace,
  replaceFile,
  UnsafePathError,
} from "./index.ts";
import { sweepDrafts } from "./draft.ts";

// Permissions do not bind root, and only root can say whose a file is: the tests about other users run where the tests
// do.
const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const path = (...names: string[]): string => join(folder, ...names);
const read = (name: string): string => readFileSync(path(name), "utf8");
const readMode = (file: string): number => lstatSync(file).mode & 0o777;
const put = (file: string, text = "new"): void => replaceFile(file, text, { mode: 0o600, below: folder });
const foreignLink = (target: string, link: string): void => {
  symlinkSync(target, link);
  lchownSync(link, NOBODY, NOBODY);
};

describe("a file that is replaced", () => {
  it("is the new one in one step, with the mode that was asked for whatever the umask is; nothing is left beside it", () => {
    for (const umask of [0, 0o077, 0o777]) {
      const before = process.umask(umask);
      try {
        replaceFile(path("a"), `under ${umask}`, { mode: 0o640 });
      } finally {
        process.umask(before);
      }
      expect([read("a"), readMode(path("a")), readdirSync(folder)]).toEqual([`under ${umask}`, 0o640, ["a"]]);
    }
  });

  it("cannot be read by others while it is being written, whatever it is going to be", () => {
    const umask = process.umask(0);
    const draft = new Draft(path("a"), { mode: 0o644 });
    try {
      draft.write("secret");
      expect(readMode(draft.path)).toBe(0o600);
      expect(draft.path).toMatch(/\/a\.integrity-[0-9a-f]{16}\.tmp$/);
      draft.put();
      expect(readMode(path("a"))).toBe(0o644);
    } finally {
      process.umask(umask);
      draft.close();
    }
  });

  it("has drafts of names that cannot be guessed and that fit, and one that is given up is gone", () => {
    const names = new Set<string>();
    const long = `${"ü".repeat(120)}.html`;
    for (let nth = 0; nth < 20; nth++) {
      const draft = new Draft(path(long), { mode: 0o600 });
      draft.write("half");
      names.add(draft.path);
      draft.close();
    }
    expect([names.size, readdirSync(folder)]).toEqual([20, []]);
    put(path(long));
    expect(readFileSync(path(long), "utf8")).toBe("new");
  });

  it("behind the user's own link is replaced where it is, and the link stays one; so is one in a folder that is the user's own link", () => {
    mkdirSync(path("real"));
    writeFileSync(path("real", "file"), "old");
    symlinkSync(path("real", "file"), path("link"));
    symlinkSync("link", path("link of it"));
    symlinkSync("real", path("folder"));
    put(path("link of it"));
    expect([
      readFileSync(path("real", "file"), "utf8"),
      readlinkSync(path("link of it")),
      readdirSync(path("real")),
    ]).toEqual(["new", "link", ["file"]]);
    put(path("folder", "file"), "newer");
    expect([readFileSync(path("real", "file"), "utf8"), lstatSync(path("folder")).isSymbolicLink()]).toEqual([
      "newer",
      true,
    ]);
  });

  it("behind a link that leads through another one and up again is the one that the system would open", () => {
    mkdirSync(path("deep", "er"), { recursive: true });
    symlinkSync("deep/er", path("way"));
    symlinkSync("way/../file", path("link"));
    symlinkSync("../way/..", path("deep", "again"));
    for (const name of ["file", "deep/file"]) writeFileSync(path(name), "old");
    put(path("link"));
    expect([read("deep/file"), read("file"), read("link")]).toEqual(["new", "old", "new"]);
    put(path("deep", "again", "file"), "newer");
    expect([read("deep/file"), readFileSync(path("deep", "again", "file"), "utf8")]).toEqual(["newer", "newer"]);
  });

  it("in whose place links lead to each other is refused; a link that leads nowhere is followed to where the file is to be", () => {
    symlinkSync("b", path("a"));
    symlinkSync("a", path("b"));
    expect(() => put(path("a"))).toThrow(/links that lead to each other/);
    symlinkSync("not there yet", path("c"));
    put(path("c"));
    expect(read("not there yet")).toBe("new");
  });

  it("with a name that is ours alone is put over a link there, which is not followed", () => {
    writeFileSync(path("other"), "old");
    symlinkSync("other", path("a"));
    replaceFile(path("a"), "new", { mode: 0o600, last: "replace" });
    expect([read("other"), read("a"), lstatSync(path("a")).isFile()]).toEqual(["old", "new", true]);
  });

  it("may be another name of a file, and is not put where a file is by now when it must be new", () => {
    writeFileSync(path("source"), "bytes", { mode: 0o640 });
    const draft = new Draft(path("copy"), { mode: 0o600 });
    expect(draft.link(path("source"))).toBe(true);
    draft.put();
    draft.close();
    expect([statSync(path("copy")).ino === statSync(path("source")).ino, readMode(path("source"))]).toEqual([
      true,
      0o640,
    ]);
    const late = new Draft(path("copy"), { mode: 0o600 });
    late.write("late");
    expect(() => late.putNew()).toThrow(expect.objectContaining({ code: "EEXIST" }));
    late.close();
    expect([read("copy"), readdirSync(folder).toSorted()]).toEqual(["bytes", ["copy", "source"]]);
  });
});

describe("what a kill has left", () => {
  it("is removed with the next draft in the folder, when it is ours by its name and old", () => {
    const hour = 3_600_000;
    const now = Date.now();
    const names = [
      "s.jsonl.integrity-0123456789abcdef.tmp",
      "s.jsonl.integrity-0123456789ab.bak",
      "mine.tmp",
      "young.integrity-0123456789abcdef.tmp",
    ];
    for (const name of names) {
      writeFileSync(path(name), "");
      if (!name.startsWith("young")) utimesSync(path(name), new Date(now - 2 * hour), new Date(now - 2 * hour));
    }
    mkdirSync(path("folder.integrity-0123456789abcdef.tmp"));
    put(path("a"));
    expect(readdirSync(folder).toSorted()).toEqual([
      "a",
      "folder.integrity-0123456789abcdef.tmp",
      "mine.tmp",
      "s.jsonl.integrity-0123456789ab.bak",
      "young.integrity-0123456789abcdef.tmp",
    ]);
    // Looked for once an hour.
    const opened = new Folder(folder);
    sweepDrafts(opened, now + hour / 2);
    expect(existsSync(path("young.integrity-0123456789abcdef.tmp"))).toBe(true);
    sweepDrafts(opened, now + 2 * hour);
    expect(existsSync(path("young.integrity-0123456789abcdef.tmp"))).toBe(false);
    opened.close();
  });
});

describe("a folder that others may write to", () => {
  it("is none to replace a file in, nor is one above it: said with the folder, its mode and what to do; nothing is changed", () => {
    mkdirSync(path("open", "deep"), { recursive: true });
    writeFileSync(path("open", "deep", "a"), "old");
    chmodSync(path("open"), 0o777);
    let said: unknown;
    try {
      put(path("open", "deep", "a"));
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(UnsafePathError);
    expect((said as Error).message).toBe(
      `expected no other user to be able to change the folder ${path("open")}, in which ${path("open", "deep", "a")} is replaced; found everybody (mode 0777) can. ` +
        "Run chmod go-w on it and run this again; where that cannot be done and nobody else is on the machine, set OPENCLAW_INTEGRITY_SHARED_FOLDERS=allow. Nothing was changed.",
    );
    expect([read("open/deep/a"), readdirSync(path("open", "deep"))]).toEqual(["old", ["a"]]);
    // Above the folder that the user has chosen nobody is looked at.
    replaceFile(path("open", "deep", "a"), "new", { mode: 0o600, below: path("open", "deep") });
    expect(read("open/deep/a")).toBe("new");
  });

  it("is one where that is said by the user, and where only the user's own drafts can be taken away (/tmp)", () => {
    chmodSync(folder, 0o1777);
    put(path("a"));
    chmodSync(folder, 0o777);
    expect(() => put(path("a"))).toThrow(UnsafePathError);
    vi.stubEnv("OPENCLAW_INTEGRITY_SHARED_FOLDERS", "allow");
    put(path("a"), "newer");
    expect(read("a")).toBe("newer");
  });

  it("takes what is new, and no link is followed there, not the user's own either: others could have moved it", () => {
    writeFileSync(path("secret"), "secret");
    mkdirSync(path("open"));
    symlinkSync("../secret", path("open", "a"));
    chmodSync(path("open"), 0o777);
    replaceFile(path("open", "b"), "new", { mode: 0o600, shared: "allow" });
    expect(() => replaceFile(path("open", "a"), "new", { mode: 0o600, shared: "allow" })).toThrow(
      /no symbolic link that another user could have put there; found one that leads to \.\.\/secret, in a folder that everybody \(mode 0777\) can change\./,
    );
    expect([read("secret"), readdirSync(path("open")).toSorted()]).toEqual(["secret", ["a", "b"]]);
    // Nobody else is there.
    vi.stubEnv("OPENCLAW_INTEGRITY_SHARED_FOLDERS", "allow");
    put(path("open", "a"));
    expect([read("secret"), lstatSync(path("open", "a")).isSymbolicLink()]).toEqual(["new", true]);
  });

  it.runIf(isRoot)("by its group: only when somebody else is in the group", () => {
    chmodSync(folder, 0o775);
    put(path("a"));
    chownSync(folder, 0, NOBODY);
    expect(() => put(path("a"))).toThrow(/its group \(65534\) \(mode 0775\) can/);
    // As a container is given one: no user of the machine is in it.
    chownSync(folder, 0, 59_871);
    put(path("a"), "newer");
    expect(read("a")).toBe("newer");
  });
});

describe.runIf(isRoot)("another user", () => {
  it("who puts a link in the place of a file, of a folder or of a draft leads nothing elsewhere", () => {
    mkdirSync(path("theirs"), { mode: 0o755 });
    writeFileSync(path("secret"), "secret", { mode: 0o600 });
    chmodSync(folder, 0o1777);
    foreignLink(path("secret"), path("a"));
    foreignLink(path("theirs"), path("folder"));
    expect(() => put(path("a"))).toThrow(
      /expected .*\/a to be no symbolic link that another user could have put there; found one of user 65534 that leads to .*\/secret\. /,
    );
    expect(() => put(path("folder", "b"))).toThrow(/expected .*\/folder to be no symbolic link/);
    expect(() => createFile(path("a"), "new")).toThrow(expect.objectContaining({ code: "EEXIST" }));
    expect([read("secret"), readdirSync(path("theirs")), readdirSync(folder).toSorted()]).toEqual([
      "secret",
      [],
      ["a", "folder", "secret", "theirs"],
    ]);
  });

  it("who has a folder to themselves may have links in it that lead to what is theirs, and to nothing of root's", () => {
    for (const name of ["home", "home/state", "elsewhere"]) {
      mkdirSync(path(name), { mode: 0o755 });
      chownSync(path(name), NOBODY, NOBODY);
    }
    mkdirSync(path("etc"), { mode: 0o755 });
    foreignLink(path("elsewhere"), path("home", "theirs"));
    foreignLink(path("etc"), path("home", "roots"));
    put(path("home", "theirs", "a"));
    expect(lstatSync(path("elsewhere", "a")).uid).toBe(NOBODY);
    expect(() => put(path("home", "roots", "a"))).toThrow(/found one of user 65534 that leads to .*\/etc of user 0\./);
    expect(readdirSync(path("etc"))).toEqual([]);
  });

  it("keeps what root replaces in their folder, with its mode, and gets what root makes there", () => {
    mkdirSync(path("home"), { mode: 0o755 });
    chownSync(path("home"), NOBODY, NOBODY);
    writeFileSync(path("home", "a"), "old");
    chownSync(path("home", "a"), NOBODY, 12);
    replaceFile(path("home", "a"), "new", { mode: 0o640 });
    replaceFile(path("home", "b"), "new", { mode: 0o600 });
    createFile(path("home", "c"), "new");
    makeFolder(path("home", "d", "e"));
    makeFolder(path("home", "f"), 0o755);
    const readOwner = (name: string): number[] => [
      lstatSync(path("home", name)).uid,
      lstatSync(path("home", name)).gid,
      readMode(path("home", name)),
    ];
    expect(["a", "b", "c", "d", "d/e", "f"].map(readOwner)).toEqual([
      [NOBODY, 12, 0o640],
      [NOBODY, NOBODY, 0o600],
      [NOBODY, NOBODY, 0o600],
      [NOBODY, NOBODY, 0o700],
      [NOBODY, NOBODY, 0o700],
      [NOBODY, NOBODY, 0o755],
    ]);
    // And somebody else's file stays that somebody's.
    writeFileSync(path("home", "g"), "root's", { mode: 0o600 });
    replaceFile(path("home", "g"), "new", { mode: 0o600 });
    expect(readOwner("g")).toEqual([0, 0, 0o600]);
  });

  it("who may not write says so: the folder is as it was", () => {
    mkdirSync(path("roots"), { mode: 0o755 });
    chmodSync(folder, 0o755);
    const script = `const { replaceFile } = await import(${JSON.stringify(reachable(join(import.meta.dirname, "index.ts")))}); try { replaceFile(${JSON.stringify(path("roots", "a"))}, "x", { mode: 0o600 }); } catch (error) { console.log(error.code); }`;
    expect(runAsNobody(["--no-warnings", "--input-type=module", "-e", script]).stdout).toBe("EACCES\n");
    expect(readdirSync(path("roots"))).toEqual([]);
  });
});

describe("a folder that was looked at", () => {
  it("and is another one a moment later is not written to", () => {
    mkdirSync(path("one"));
    mkdirSync(path("two", "deep"), { recursive: true });
    mkdirSync(path("way", "deep"), { recursive: true });
    const place = resolvePlace(path("one", "a"));
    const deep = resolvePlace(path("way", "deep", "a"));
    renameSync(path("one"), path("was"));
    mkdirSync(path("one"));
    expect(() => Folder.open(place)).toThrow(/another one in its place a moment later/);
    // By a link above it, to the same folder under another name.
    renameSync(path("way"), path("moved"));
    symlinkSync("moved", path("way"));
    if (process.platform === "linux")
      expect(() => Folder.open(deep)).toThrow(/another one in its place a moment later/);
  });

  it("that is held open is written to wherever it is moved", () => {
    mkdirSync(path("one"));
    mkdirSync(path("secret"));
    const draft = new Draft(path("one", "a"), { mode: 0o600 });
    renameSync(path("one"), path("moved"));
    symlinkSync("secret", path("one"));
    draft.write("new");
    draft.put();
    draft.close();
    if (process.platform === "linux")
      expect([readdirSync(path("moved")), readdirSync(path("secret"))]).toEqual([["a"], []]);
  });
});

it("a file that is there is kept from others without being opened, a folder and what is private already are left alone", () => {
  writeFileSync(path("a"), "", { mode: 0o664 });
  linkSync(path("a"), path("b"));
  mkdirSync(path("c"), { mode: 0o755 });
  for (const name of ["a", "c", "not there"]) expect(keepPrivate(path(name))).toBeUndefined();
  expect([readMode(path("b")), readMode(path("c"))]).toEqual([0o600, 0o755]);
});
