import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { reachable, runAsNobody } from "../../harness/nobody.ts";
import { patience } from "../../harness/patience.ts";
import { FolderHandle } from "../../src/workspace/handles/folder-handle.ts";
import { KnownFiles } from "../../src/workspace/records/known-files.ts";
import { MAX_FILE_BYTES } from "../../src/workspace/snapshots/left-out.ts";
import { Walk } from "../../src/workspace/snapshots/walk.ts";
import { Scene } from "./workspace.ts";

it(
  "more than 50,000 files are refused before one of them is stored, and so is too much; fewer files are captured",
  async () => {
    const scene = new Scene();
    try {
      for (let at = 0; at < 50_100; at++) {
        const folder = scene.at(`folder-${at % 600}`);
        if (at < 600) mkdirSync(folder);
        writeFileSync(join(folder, String(at)), "");
      }
      await expect(scene.batch(() => undefined)).rejects.toMatchObject({
        code: "unfit",
        message: expect.stringContaining("50100 files") as string,
      });
      writeFileSync(scene.at(".gitignore"), "folder-[1-9]*\n");
      const start = scene.say();
      await scene.batch(() => writeFileSync(scene.at("folder-0/0"), "changed"));
      const { report } = await scene.move(start);
      expect(report.restored).toEqual(["folder-0/0"]);
    } finally {
      scene.close();
    }
  },
  patience(120_000),
);

it(
  "more files than can be captured, and a folder of more names than are looked at, hide nothing that is done to known ones",
  async () => {
    const scene = new Scene();
    try {
      mkdirSync(scene.at("dir"));
      writeFileSync(scene.at("dir/person"), "one");
      writeFileSync(scene.at("other"), "one");
      const start = scene.say();
      await scene.batch(() => writeFileSync(scene.at("other"), "two"));
      await scene.batch(() => {
        for (let at = 0; at < 50_100; at++) writeFileSync(scene.at(`dir/${at}`), "");
      });
      // The first capture after a start of the machine reads all files again.
      await scene.store.use(async ({ records }) => records.setFact("boot", "an earlier one"));
      await scene.batch(() => writeFileSync(scene.at("dir/person"), "destroyed"));
      await scene.batch(() => writeFileSync(scene.at("later"), "later"));
      await scene.move(start);
      expect([readFileSync(scene.at("dir/person"), "utf8"), readFileSync(scene.at("other"), "utf8")]).toEqual([
        "one",
        "one",
      ]);
      expect(existsSync(scene.at("later"))).toBe(true);
    } finally {
      scene.close();
    }
  },
  patience(120_000),
);

it(
  "a workspace that an agent empties and then fills with more files than can be captured is captured as before",
  async () => {
    const scene = new Scene();
    try {
      writeFileSync(scene.at("person"), "one");
      const start = scene.say();
      await scene.batch(() => rmSync(scene.at("person")));
      await scene.batch(() => {
        for (let at = 0; at < 50_100; at++) writeFileSync(scene.at(String(at)), "");
      });
      expect((await scene.preview(start)).restored).toEqual(["person"]);
    } finally {
      scene.close();
    }
  },
  patience(120_000),
);

it(
  "files that fill up all bytes that are captured hide nothing that is done to known ones",
  async () => {
    const scene = new Scene();
    try {
      writeFileSync(scene.at("person"), "one");
      const start = scene.say();
      await scene.batch(() => {
        for (let at = 0; at < 32; at++) {
          writeFileSync(scene.at(`${at}`), "");
          truncateSync(scene.at(`${at}`), at === 0 ? MAX_FILE_BYTES - 3 : MAX_FILE_BYTES);
        }
      });
      await scene.batch(() => writeFileSync(scene.at("person"), "destroyed"));
      await scene.move(start);
      expect(scene.files()).toEqual({ person: "one" });
    } finally {
      scene.close();
    }
  },
  patience(120_000),
);

it("comparisons with a hostile .gitignore leave the event loop its turns", async () => {
  const scene = new Scene();
  const root = new FolderHandle(scene.workspace);
  try {
    writeFileSync(scene.at(".gitignore"), `${"*a".repeat(60)}b\n`.repeat(2000));
    for (let at = 0; at < 200; at++) writeFileSync(scene.at(`${"a".repeat(240)}${at}`), "");
    let turns = 0;
    const turn = (): void => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const walk = new Walk({ root, known: new KnownFiles(), mounts: new Set(), deadline: Infinity, countsOnly: true });
    for await (const _ of walk.contents());
    clearImmediate(next);
    expect(turns).toBeGreaterThan(20);
  } finally {
    root.close();
    scene.close();
  }
});

it("a file that cannot be read is left out, a folder that cannot be written is said, and the files stay both as they are", () => {
  // Permissions do not bind root.
  const module = reachable(fileURLToPath(new URL("../../src/workspace/index.ts", import.meta.url)));
  const folder = mkdtempSync(join(tmpdir(), "for-nobody-"));
  chmodSync(folder, 0o777);
  const program = `
    import { WorkspaceStore, moveFiles } from ${JSON.stringify(module)};
    import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
    import { join } from "node:path";
    const folder = ${JSON.stringify(folder)};
    const [state, work] = [join(folder, "state"), join(folder, "work")];
    mkdirSync(state); mkdirSync(work); mkdirSync(join(work, "closed"));
    writeFileSync(join(work, "unreadable"), "secret", { mode: 0o000 });
    writeFileSync(join(work, "closed", "file"), "one");
    writeFileSync(join(work, "open"), "one");
    const store = WorkspaceStore.at(state, work);
    const owner = { sessionId: "s" };
    let left;
    await store.use(async ({ records, capture }) => {
      const captured = await capture();
      left = [...captured.leftOut];
      const id = records.begin(owner, captured.tree);
      writeFileSync(join(work, "closed", "file"), "two");
      writeFileSync(join(work, "open"), "two");
      records.end(id, (await capture()).tree, "m");
    });
    chmodSync(join(work, "closed"), 0o555);
    const where = { onPath: new Set(), inHistory: new Set(["m"]) };
    let code = "none";
    await moveFiles(state, store, { owner, where, intentId: "i" }, async () => undefined).catch((error) => { code = error.code; });
    const read = (name) => readFileSync(join(work, name), "utf8");
    console.log(JSON.stringify({ left, code, files: [read("closed/file"), read("open")], pending: store.mayHavePending }));
  `;
  const { stdout, stderr } = runAsNobody(["--no-warnings", "--input-type=module", "--eval", program], {
    env: { ...process.env, HOME: "/nonexistent" },
  });
  expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual({
    left: [["unreadable", 1]],
    code: "not-writable",
    files: ["two", "two"],
    pending: false,
  });
});
