import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { git } from "../../src/workspace/git/git.ts";
import { WorkspaceStore } from "../../src/workspace/index.ts";
import { FolderHandle } from "../../src/workspace/handles/folder-handle.ts";
import { Beneath, type Staged } from "../../src/workspace/moves/beneath.ts";
import { MAX_FILE_BYTES, STAGING_PREFIX } from "../../src/workspace/snapshots/left-out.ts";
import { runOnSmallDisk, smallDiskRefusal } from "../journal/small-disk.ts";
import { Scene } from "./workspace.ts";

const refusal = smallDiskRefusal();
/** Node cannot take a lease. */
const hasPython = process.platform === "linux" && spawnSync("python3", ["--version"]).status === 0;

describe("what could go wrong, or somebody do", () => {
  let scene: Scene;
  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.close());
  const write = (path: string, content: string | Uint8Array): void => writeFileSync(scene.at(path), content);
  const read = (path: string): string => readFileSync(scene.at(path), "utf8");

  it("a folder that somebody replaced by a link out of the workspace: nothing is written through it", async () => {
    const outside = join(scene.folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "outside");
    mkdirSync(scene.at("folder"));
    write("folder/file", "one");
    const start = scene.say();
    await scene.batch(() => write("folder/file", "two"));
    rmSync(scene.at("folder"), { recursive: true });
    symlinkSync(outside, scene.at("folder"));
    await expect(scene.move(start)).rejects.toMatchObject({ code: "conflicts" });
    await expect(scene.move(start, "ours")).rejects.toMatchObject({
      code: "conflicts",
      message: expect.stringContaining("its place is taken") as string,
    });
    await scene.move(start, "theirs");
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("outside");
  });

  it("a link that the agent itself put in the place of a folder: the folder comes back, the link's target stays", async () => {
    const outside = join(scene.folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "one");
    mkdirSync(scene.at("folder"));
    write("folder/file", "one");
    const start = scene.say();
    await scene.batch(() => {
      rmSync(scene.at("folder"), { recursive: true });
      symlinkSync(outside, scene.at("folder"));
    });
    const { report } = await scene.move(start);
    expect([report.restored, report.removed]).toEqual([["folder/file"], ["folder"]]);
    expect([scene.files(), readFileSync(join(outside, "file"), "utf8")]).toEqual([{ "folder/file": "one" }, "one"]);
  });

  it("the person's repository: no hook, no fsmonitor, no filter runs, no byte is converted, and index and HEAD stay", async () => {
    const ran = join(scene.folder, "ran");
    const script = join(scene.folder, "evil.sh");
    writeFileSync(script, `#!/bin/sh\ntouch ${ran}\ncat\n`);
    chmodSync(script, 0o755);
    const run = (...args: string[]): string =>
      execFileSync("git", args, {
        cwd: scene.workspace,
        encoding: "utf8",
        env: { ...process.env, HOME: scene.folder },
      });
    run("init", "-q");
    for (const name of ["pre-commit", "post-index-change", "fsmonitor-watchman", "reference-transaction"]) {
      writeFileSync(scene.at(`.git/hooks/${name}`), readFileSync(script));
      chmodSync(scene.at(`.git/hooks/${name}`), 0o755);
    }
    writeFileSync(
      join(scene.folder, ".gitconfig"),
      `[core]\n\tfsmonitor = ${script}\n\tautocrlf = true\n\thooksPath = ${scene.at(".git/hooks")}\n[filter "evil"]\n\tclean = ${script}\n\tsmudge = ${script}\n\trequired = true\n`,
    );
    run("config", "core.fsmonitor", script);
    write(".gitattributes", "* filter=evil text=auto eol=crlf ident working-tree-encoding=UTF-16\n");
    write("text.txt", "one\r\ntwo\n$Id$\n");
    // What the person's own git would do with them; only ours is asked below.
    rmSync(ran, { force: true });
    const repository = (): string[] => [
      readFileSync(scene.at(".git/HEAD"), "latin1"),
      String(existsSync(scene.at(".git/index"))),
      readFileSync(scene.at(".git/config"), "latin1"),
    ];
    const before = repository();
    const inherited = {
      HOME: process.env.HOME,
      GIT_DIR: process.env.GIT_DIR,
      GIT_INDEX_FILE: process.env.GIT_INDEX_FILE,
    };
    Object.assign(process.env, {
      HOME: scene.folder,
      GIT_DIR: scene.at(".git"),
      GIT_INDEX_FILE: scene.at(".git/index"),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: script,
    });
    try {
      const start = scene.say();
      await scene.batch(() => write("text.txt", "changed\r\n"));
      await scene.move(start);
    } finally {
      for (const [name, value] of Object.entries({
        ...inherited,
        GIT_CONFIG_COUNT: undefined,
        GIT_CONFIG_KEY_0: undefined,
        GIT_CONFIG_VALUE_0: undefined,
      }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
    expect(read("text.txt")).toBe("one\r\ntwo\n$Id$\n");
    expect([existsSync(ran), repository()]).toEqual([false, before]);
  });

  it("secrets are not stored, even where a .gitignore asks for them, nor dependencies, nor what is ignored", async () => {
    write(".gitignore", "!.env\n!node_modules\nignored.txt\n");
    for (const name of [".env", ".env.local", "server.pem", "id_rsa", "ignored.txt"]) write(name, `secret-in-${name}`);
    mkdirSync(scene.at("node_modules/some"), { recursive: true });
    write("node_modules/some/index.js", "secret-in-modules");
    mkdirSync(scene.at(".ssh"));
    write(".ssh/config", "secret-in-ssh");
    const start = scene.say();
    await scene.batch(() => {
      write("kept.txt", "kept");
      for (const name of [".env", "ignored.txt", "id_rsa"]) write(name, `secret-changed-in-${name}`);
    });
    const stored = await scene.store.use(async ({ place }) =>
      (await git(place, ["cat-file", "--batch-all-objects", "--batch"])).output.toString("latin1"),
    );
    expect(stored).toContain("kept.txt");
    expect(stored).not.toContain("secret-");
    await scene.move(start);
    expect([existsSync(scene.at("kept.txt")), read(".env")]).toEqual([false, "secret-changed-in-.env"]);
  });

  it("a file that grew beyond the limit is left alone, and so is one that is too large from the beginning", async () => {
    write("grows.log", "small");
    write("large.bin", "");
    truncateSync(scene.at("large.bin"), MAX_FILE_BYTES + 1);
    const start = scene.say();
    await scene.batch(() => {
      truncateSync(scene.at("grows.log"), MAX_FILE_BYTES + 1);
      truncateSync(scene.at("large.bin"), MAX_FILE_BYTES + 2);
      write("other.txt", "other");
    });
    await expect(scene.move(start)).rejects.toMatchObject({ code: "conflicts" });
    expect(existsSync(scene.at("other.txt"))).toBe(true);
    await scene.move(start, "theirs");
    expect([existsSync(scene.at("other.txt")), lstatSync(scene.at("grows.log")).size]).toEqual([
      false,
      MAX_FILE_BYTES + 1,
    ]);
  });

  it.each<readonly [what: string, put: (at: string) => void]>([
    ["a pipe", (at) => execFileSync("mkfifo", [at])],
    ["a folder with a secret", (at) => (mkdirSync(at), writeFileSync(join(at, ".env"), ""))],
    ["a folder with an empty folder", (at) => mkdirSync(join(at, "empty"), { recursive: true })],
    [
      "a folder with a pipe and a file",
      (at) => (mkdirSync(at), write("taken/new", ""), execFileSync("mkfifo", [join(at, "pipe")])),
    ],
  ])("%s that an agent puts in the place of a file keeps no other file from coming back", async (_, put) => {
    mkdirSync(scene.at("folder"));
    for (const name of ["taken", "folder/taken", "other"]) write(name, "one");
    const start = scene.say();
    await scene.batch(() => {
      for (const name of ["taken", "folder"]) rmSync(scene.at(name), { recursive: true });
      put(scene.at("taken"));
      execFileSync("mkfifo", [scene.at("folder")]);
      write("other", "destroyed");
    });
    const refused = expect.objectContaining({
      code: "conflicts",
      message: expect.stringMatching(/"folder\/taken" .its place is taken.*Move away/u) as string,
    }) as Error;
    await expect(scene.move(start)).rejects.toEqual(refused);
    await scene.move(start, "theirs");
    expect(read("other")).toBe("one");
    for (const name of ["taken", "folder"]) rmSync(scene.at(name), { recursive: true });
  });

  it("a nested repository: its files come back, its history is left alone", async () => {
    const nested = scene.at("project");
    mkdirSync(nested);
    execFileSync("git", ["init", "-q"], { cwd: nested });
    write("project/.gitignore", "ignored\n");
    write("project/code.txt", "one");
    write("project/ignored", "ignored");
    const head = readFileSync(join(nested, ".git", "HEAD"), "utf8");
    const start = scene.say();
    await scene.batch(() => {
      write("project/code.txt", "two");
      write("project/new.txt", "new");
      write("project/ignored", "changed");
    });
    const { report } = await scene.move(start);
    expect([report.restored, report.removed]).toEqual([["project/code.txt"], ["project/new.txt"]]);
    expect([read("project/code.txt"), read("project/ignored")]).toEqual(["one", "changed"]);
    expect(readFileSync(join(nested, ".git", "HEAD"), "utf8")).toBe(head);
  });

  it("a pipe in the place of a file hangs no capture and no move, and is not replaced", async () => {
    write("pipe", "a file");
    const start = scene.say();
    await scene.batch(() => {
      rmSync(scene.at("pipe"));
      execFileSync("mkfifo", [scene.at("pipe")]);
      write("file", "one");
    });
    await expect(scene.move(start)).rejects.toMatchObject({ code: "conflicts" });
    rmSync(scene.at("pipe"));
    await scene.move(start);
    expect(scene.files()).toEqual({ pipe: "a file" });
  });

  it("a file that became a folder, and a folder that became a file, and back", async () => {
    write("one", "file");
    mkdirSync(scene.at("two/deep"), { recursive: true });
    write("two/deep/inside", "inside");
    const start = scene.say();
    const before = scene.files();
    await scene.batch(() => {
      rmSync(scene.at("one"));
      mkdirSync(scene.at("one/now"), { recursive: true });
      write("one/now/inside", "new");
      renameSync(scene.at("two"), scene.at("three"));
      write("two", "a file now");
    });
    const after = scene.files();
    const { departure } = await scene.move(start);
    expect(scene.files()).toEqual(before);
    await scene.move(departure);
    expect(scene.files()).toEqual(after);
  });

  it.each([".gitignore", ".gitattributes", ".gitmodules", ".git"])(
    "a pipe or a link named %s hangs no capture, and the other files are captured",
    async (name) => {
      mkdirSync(scene.at("vendor"));
      execFileSync("mkfifo", [scene.at(`vendor/${name}`)]);
      symlinkSync("/dev/zero", scene.at(name));
      write("vendor/file", "one");
      const start = scene.say();
      await scene.batch(() => write("vendor/file", "two"));
      await scene.move(start);
      expect(read("vendor/file")).toBe("one");
    },
  );

  it("a .gitignore that an agent writes hides nothing that it does to files that were there", async () => {
    mkdirSync(scene.at("src"));
    write("src/person.md", "a person's");
    const start = scene.say();
    await scene.batch(() => write("first", "first"));
    await scene.batch(() => {
      write(".gitignore", "*\n");
      write("src/.gitignore", `${"*a".repeat(300)}b\n`.repeat(1000));
    });
    await scene.batch(() => {
      write("src/person.md", "destroyed");
      write("hidden", "by the agent");
    });
    await scene.batch(() => rmSync(scene.at("src"), { recursive: true }));
    await scene.move(start);
    expect(scene.files()).toEqual({ "src/person.md": "a person's", hidden: "by the agent" });
  });

  it("a staged file that somebody replaced by one with the same inode, or wrote in, is not taken for the staged one", async () => {
    const root = new FolderHandle(scene.workspace);
    try {
      const version = { mode: "100644", oid: "" };
      const stage = async (): Promise<Staged> => {
        rmSync(scene.at("staged"), { force: true });
        const stat = await root.create("staged", Buffer.from("one"), 0o600);
        // A coarse clock tells the two apart then.
        await setTimeout(20);
        return { folder: root, name: "staged", stat, version };
      };
      const beneath = new Beneath(root, () => undefined);
      expect(beneath.place(await stage(), "file")).toBe(true);
      let staged = await stage();
      write("staged", "bad");
      expect(beneath.place(staged, "file")).toBe(false);
      let isSame = false;
      for (let tries = 0; tries < 20 && !isSame; tries++) {
        staged = await stage();
        rmSync(scene.at("staged"));
        write("staged", "bad");
        isSame = lstatSync(scene.at("staged")).ino === staged.stat.ino;
      }
      expect(beneath.place(staged, "file")).toBe(false);
    } finally {
      root.close();
    }
  });

  it("a move of many files leaves the event loop its turns, while each of them is flushed to the disk", async () => {
    const names = Array.from({ length: 100 }, (_, at) => `file-${at}`);
    for (const name of names) write(name, "one");
    const start = scene.say();
    await scene.batch(() => {
      for (const name of names) write(name, "two");
    });
    const seen = new Set<number>();
    const look = (): void => {
      for (const name of readdirSync(scene.store.folder).filter((one) => one.startsWith(STAGING_PREFIX)))
        seen.add(readdirSync(join(scene.store.folder, name)).length);
      next = setImmediate(look);
    };
    let next = setImmediate(look);
    await scene.move(start);
    clearImmediate(next);
    expect([...seen].filter((count) => count > 0 && count < 100)).not.toEqual([]);
    expect(new Set(Object.values(scene.files()))).toEqual(new Set(["one"]));
  });

  it("what a .gitignore names stays captured after a start of the machine", async () => {
    write("file", "one");
    await scene.batch(() => write("other", "other"));
    await scene.batch(() => write(".gitignore", "*\n"));
    const start = scene.say();
    await scene.store.use(async ({ records }) => records.setFact("boot", "an earlier one"));
    await scene.batch(() => write("file", "destroyed"));
    await scene.move(start);
    expect(scene.files()).toEqual({ file: "one", other: "other", ".gitignore": "*\n" });
  });

  it.each(["constructor", "__proto__", "toString"])("a .gitignore with [[:%s:]] ends no capture", async (name) => {
    write("file", "one");
    const start = scene.say();
    await scene.batch(() => {
      write(".gitignore", `[[:${name}:]]\n`);
      write("file", "destroyed");
    });
    await scene.move(start);
    expect(scene.files()).toEqual({ file: "one" });
  });

  it.skipIf(!hasPython)("a program that holds a lease on a file ends no capture of the others", async () => {
    write("leased", "one");
    write("file", "one");
    const start = scene.say();
    const holds = `import fcntl, os, sys
f = os.open(sys.argv[1], os.O_RDWR | os.O_TRUNC)
fcntl.fcntl(f, fcntl.F_SETSIG, 28)
fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("holds", flush=True)
sys.stdin.read()`;
    let holder: ChildProcess | undefined;
    try {
      await scene.batch(async () => {
        holder = spawn("python3", ["-c", holds, scene.at("leased")], { stdio: ["pipe", "pipe", "inherit"] });
        await once(holder.stdout!, "data");
        write("file", "destroyed");
      });
    } finally {
      holder?.stdin!.end();
      if (holder !== undefined) await once(holder, "exit");
    }
    await scene.move(start, "ours");
    expect(scene.files()).toEqual({ file: "one", leased: "one" });
  });

  it.skipIf(!hasPython)("a file that is written through a mapping keeps no move back for good", async () => {
    write("mapped", "1".repeat(4096));
    const start = scene.say();
    const program = `import mmap, os, sys
m = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 4096)
for line in sys.stdin:
  m[0:1] = line[0:1].encode()
  print("written", flush=True)`;
    const mapper = spawn("python3", ["-c", program, scene.at("mapped")], { stdio: ["pipe", "pipe", "inherit"] });
    const put = async (text: string): Promise<void> => {
      const written = once(mapper.stdout, "data");
      mapper.stdin.write(`${text}\n`);
      await written;
    };
    try {
      await scene.batch(async () => {
        await put("2");
        // Beyond the moment in which a capture takes no time of a file for certain.
        await setTimeout(200);
      });
      await put("3");
      await scene.move(start, "ours").catch((error: unknown) => expect(error).toMatchObject({ code: "blocked" }));
      await scene.move(start, "ours");
    } finally {
      mapper.stdin.end();
      await once(mapper, "exit");
    }
    expect(read("mapped")).toBe("1".repeat(4096));
  });

  it("a link named .gitmodules, which no tree can have, hides nothing that is done to the file", async () => {
    write(".gitmodules", "one");
    const start = scene.say();
    await scene.batch(() => {
      rmSync(scene.at(".gitmodules"));
      symlinkSync("elsewhere", scene.at(".gitmodules"));
    });
    await expect(scene.move(start)).rejects.toMatchObject({ code: "conflicts" });
    rmSync(scene.at(".gitmodules"));
    await scene.move(start);
    expect(scene.files()).toEqual({ ".gitmodules": "one" });
  });

  it("paths that are longer than any program can name are left out: 50,000 of them would fill the memory", async () => {
    const deep = Array.from({ length: 5 }, () => "d".repeat(250)).join("/");
    mkdirSync(scene.at(deep), { recursive: true });
    write(`${deep}/file`, "");
    write("file", "");
    await scene.batch(() => undefined);
    expect(
      await scene.store.use(async ({ records }) => [...records.captured.known().files()].map(([path]) => path)),
    ).toEqual(["file"]);
  });

  it("a file of 0600 in a folder of 0700 comes back so, whatever the umask", async () => {
    const umask = process.umask(0);
    try {
      mkdirSync(scene.at("private"), { mode: 0o700 });
      writeFileSync(scene.at("private/key"), "words", { mode: 0o600 });
      writeFileSync(scene.at("private/tool"), "#!", { mode: 0o750 });
      write("open", "one");
      const start = scene.say();
      await scene.batch(() => rmSync(scene.at("private"), { recursive: true }));
      await scene.batch(() => rmSync(scene.at("open")));
      await scene.move(start);
      const modes = ["private", "private/key", "private/tool", "open"].map(
        (name) => lstatSync(scene.at(name)).mode & 0o777,
      );
      expect(modes).toEqual([0o700, 0o600, 0o750, 0o666]);
      const kept = readdirSync(scene.store.folder, { recursive: true, withFileTypes: true });
      const wide = kept.filter(({ parentPath, name }) => lstatSync(join(parentPath, name)).mode & 0o077);
      expect(wide.map(({ name }) => name)).toEqual([]);
    } finally {
      process.umask(umask);
    }
  });

  it("a home folder, a root, and a folder that holds OpenClaw's state are refused", () => {
    const home = process.env.HOME;
    process.env.HOME = scene.workspace;
    try {
      for (const folder of ["/", scene.workspace, scene.folder])
        expect(() => WorkspaceStore.at(scene.state, folder), folder).toThrow(
          expect.objectContaining({ code: "unfit" }) as Error,
        );
    } finally {
      process.env.HOME = home;
    }
  });

  it("no git in PATH is said in words; a git that hangs is ended", async () => {
    const path = process.env.PATH;
    const empty = join(scene.folder, "bin");
    mkdirSync(empty);
    process.env.PATH = empty;
    try {
      await expect(scene.batch(() => undefined)).rejects.toMatchObject({
        code: "no-git",
        message: expect.stringContaining("Install git") as string,
      });
      writeFileSync(join(empty, "git"), "#!/bin/sh\n/bin/sleep 60 &\nwait\n", { mode: 0o755 });
      const place = { repository: scene.state, index: join(scene.state, "index") };
      await expect(git(place, ["status"], { deadlineMs: 200 })).rejects.toMatchObject({ code: "timeout" });
    } finally {
      process.env.PATH = path;
    }
  });

  it("a conversation that cannot be moved keeps its files, and nothing is left of the move", async () => {
    write("file", "one");
    const start = scene.say();
    await scene.batch(() => {
      write("file", "two");
      write("new", "new");
    });
    const before = scene.files();
    await expect(
      scene.move(start, undefined, "one", () => {
        throw new Error("OpenClaw refuses");
      }),
    ).rejects.toThrow("OpenClaw refuses");
    expect([scene.files(), scene.store.mayHavePending]).toEqual([before, false]);
    await scene.move(start);
    expect(scene.files()).toEqual({ file: "one" });
  });

  it.skipIf(refusal !== undefined)("a disk that is full: nothing is moved, and the words say why", () => {
    const script = fileURLToPath(new URL("on-full-disk.ts", import.meta.url));
    expect(runOnSmallDisk(3000, script)).toEqual({
      code: "not-writable",
      files: { "large.bin": "empty", "other.txt": "other", "filler.bin": "filler" },
      left: [],
    });
  });

  it("what another session changed while this one's batch ran is a conflict, whatever it did", async () => {
    write("shared", "one");
    const start = scene.say();
    await scene.batch(async () => {
      await scene.batch(() => write("shared", "both\n"), "other");
      write("own", "own");
    });
    await expect(scene.move(start)).rejects.toMatchObject({
      code: "conflicts",
      message: expect.stringContaining("changed by another session") as string,
    });
    await scene.move(start, "theirs");
    expect(scene.files()).toEqual({ shared: "both\n" });
  });

  it.each([
    ["empty", (): number => 0],
    ["cut", (size: number): number => size >> 1],
  ])("a store that a power cut has damaged captures again: %s objects, a cut index", async (_what, left) => {
    write("file", "one");
    write("other", "other");
    await scene.batch(() => write("file", "two"));
    const { repository, index } = await scene.store.use(async ({ place }) => place);
    for (const folder of readdirSync(join(repository, "objects")).filter((name) => name.length === 2))
      for (const name of readdirSync(join(repository, "objects", folder))) {
        const object = join(repository, "objects", folder, name);
        chmodSync(object, 0o644);
        truncateSync(object, left(statSync(object).size));
      }
    truncateSync(index, 20);
    await scene.store.use(async ({ records }) => records.setFact("boot", "an earlier one"));
    const start = scene.say();
    await scene.batch(() => write("file", "three"));
    await scene.move(start);
    expect(scene.files()).toEqual({ file: "two", other: "other" });
  });

  it("a killed batch is the agent's: its changes are taken back too", async () => {
    write("file", "one");
    const start = scene.say();
    await scene.store.use(async ({ records, capture }) => records.begin(scene.owner(), (await capture()).tree));
    write("file", "by the killed batch");
    // The next run finds the step open and ends it.
    const mark = scene.say();
    await scene.store.use(async ({ records, capture }) => {
      const { tree } = await capture();
      for (const open of records.open(scene.owner())) records.end(open.id, tree, mark);
    });
    await scene.move(start);
    expect(scene.files()).toEqual({ file: "one" });
  });

  it("a place that kept its files knows them: a later return there brings back those, and not older ones", async () => {
    write("file", "one");
    const start = scene.say();
    await scene.batch(() => write("file", "two"));
    // A move without files.
    await scene.store.use(async ({ records, capture }) => {
      const { tree } = await capture();
      records.moved(scene.owner(), "kept", tree, tree);
    });
    const { path, all } = scene.session();
    path.splice(path.indexOf(start) + 1, Infinity, "move:kept");
    all.add("move:kept");
    const answer = scene.say();
    await scene.batch(() => write("file", "three"));
    await scene.move(answer);
    expect(scene.files()).toEqual({ file: "two" });
    await scene.move(start);
    expect(scene.files()).toEqual({ file: "one" });
  });
});
