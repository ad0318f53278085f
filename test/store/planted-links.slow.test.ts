/**
 * Links that somebody has put where a file is going to be written, in each place where one is. Nothing behind them is
 * changed.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asNobody, NOBODY, reachableNode } from "../../harness/nobody.ts";
import { newFolder } from "../../harness/temporary.ts";
import { repairSessionFile } from "../../src/guard/load/session-file.ts";
import { repairStored, ScanMemory } from "../../src/health/index.ts";
import { recordFile, remember } from "../../src/patching/write/record.ts";
import { copyTranscript } from "../../src/store/archives/archive-copy.ts";
import { archiveTranscript, readContent } from "../../src/store/archives/archive-file.ts";
import { findSummary, openCatalog, restoreFile } from "../../src/store/index.ts";
import { writeManifest } from "../../src/store/archives/manifest.ts";
import { TranscriptFile } from "../../src/store/sessions/transcript-file.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";

const isRoot = process.getuid?.() === 0;
const SECRET = "what another program has written\n";
const OLD = toTranscript([user("an old question"), says("an answer")]);
const SICK = toTranscript([user("a question"), says("an answer"), result("toolu_lost", "of nothing")]);

let state: string;
let sessions: string;
let secret: string;
let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  state = newFolder();
  chmodSync(state, 0o755);
  sessions = join(state, "agents", "main", "sessions");
  mkdirSync(sessions, { recursive: true });
  secret = join(state, "secret");
  writeFileSync(secret, SECRET, { mode: 0o600 });
  vi.stubEnv("OPENCLAW_STATE_DIR", state);
  warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => {
  warn.mockRestore();
  vi.unstubAllEnvs();
});

const at = (name: string): string => join(sessions, name);
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const archiveFile = (name: string, text: string): string => at(`${name}.integrity-${hash(text).slice(0, 12)}.bak`);

/** The names that drafts had, all of them links to the secret. */
function plantDrafts(...files: string[]): void {
  for (const file of files)
    for (const end of [
      `.integrity-${process.pid}.tmp`,
      ".integrity-next.tmp",
      `.${process.pid}.tmp`,
      `.${process.pid}`,
    ])
      symlinkSync(secret, file + end);
}
const isSecretWhole = (): void =>
  expect([readFileSync(secret, "utf8"), statSync(secret).mode & 0o777]).toEqual([SECRET, 0o600]);
const repair = async (id: string): Promise<unknown> => {
  const catalog = openCatalog(state);
  try {
    return await repairStored(catalog, findSummary(catalog, id), { stateDirectory: state, root: () => "" });
  } finally {
    catalog.close();
  }
};

describe("a link in the place of a draft", () => {
  it("leads restore nowhere", () => {
    writeFileSync(at("s.jsonl"), SICK);
    writeFileSync(archiveFile("s.jsonl", OLD), OLD);
    plantDrafts(at("s.jsonl"), archiveFile("s.jsonl", SICK));
    expect(restoreFile({ archive: archiveFile("s.jsonl", OLD) })).toMatchObject({
      action: "restored",
      kept: archiveFile("s.jsonl", SICK),
    });
    expect([readFileSync(at("s.jsonl"), "utf8"), readFileSync(archiveFile("s.jsonl", SICK), "utf8")]).toEqual([
      OLD,
      SICK,
    ]);
    isSecretWhole();
  });

  it("leads repair, the copy before it and the memory of scans nowhere", async () => {
    writeFileSync(at("s.jsonl"), SICK);
    const memory = new ScanMemory(state);
    plantDrafts(at("s.jsonl"), archiveFile("s.jsonl", SICK), memory.file);
    expect(await repair("s")).toMatchObject({ action: "repaired", archive: archiveFile("s.jsonl", SICK) });
    memory.save();
    expect(readFileSync(archiveFile("s.jsonl", SICK), "utf8")).toBe(SICK);
    isSecretWhole();
  });

  it("leads the guard nowhere, which mends a transcript before OpenClaw loads it", async () => {
    writeFileSync(at("s.jsonl"), OLD.slice(OLD.indexOf("\n") + 1));
    plantDrafts(at("s.jsonl"));
    await repairSessionFile(at("s.jsonl"));
    expect(readFileSync(at("s.jsonl"), "utf8")).toMatch(/^\{"type":"session"/);
    isSecretWhole();
  });

  it("leads the record of patched installations nowhere", () => {
    const file = recordFile();
    mkdirSync(dirname(file));
    plantDrafts(file);
    expect(remember({ root: state, release: "1", patchSet: "1", appliedAt: "", ways: [], places: [] })).toBeUndefined();
    expect(readFileSync(file, "utf8")).toContain('"applied"');
    isSecretWhole();
  });
});

describe("a link in the place of an archive", () => {
  it("to the transcript itself is not taken for a copy of it: what it was would be gone with the next write", () => {
    for (const [name, keep] of [
      ["a.jsonl", () => copyTranscript(at("a.jsonl"))],
      ["b.jsonl", () => archiveTranscript(at("b.jsonl"), readContent(at("b.jsonl"))!)],
    ] as const) {
      writeFileSync(at(name), SICK);
      symlinkSync(at(name), archiveFile(name, SICK));
      expect(keep()).toBe(archiveFile(name, SICK));
      writeFileSync(at(name), OLD);
      expect([lstatSync(archiveFile(name, SICK)).isFile(), readFileSync(archiveFile(name, SICK), "utf8")]).toEqual([
        true,
        SICK,
      ]);
    }
  });

  it("is replaced, and what it leads to is not", () => {
    writeFileSync(at("s.jsonl"), SICK);
    symlinkSync(secret, archiveFile("s.jsonl", SICK));
    expect(copyTranscript(at("s.jsonl"))).toBe(archiveFile("s.jsonl", SICK));
    expect(readFileSync(archiveFile("s.jsonl", SICK), "utf8")).toBe(SICK);
    isSecretWhole();
  });
});

it("a session's id leads its archive nowhere", () => {
  mkdirSync(join(state, "integrity-archives"));
  const path = writeManifest(state, {
    sessionId: "../agents/main/sessions/x",
    leafEntryId: "",
    messages: 0,
    sha256: "",
  });
  expect([dirname(path), readdirSync(sessions)]).toEqual([join(state, "integrity-archives"), []]);
});

describe.runIf(isRoot)("a link of another user in the place of a transcript", () => {
  beforeEach(() => {
    symlinkSync(secret, at("s.jsonl"));
    lchownSync(at("s.jsonl"), NOBODY, NOBODY);
  });

  it("is not followed by restore, and what it leads to is not copied", () => {
    writeFileSync(archiveFile("s.jsonl", OLD), OLD);
    expect(() => restoreFile({ archive: archiveFile("s.jsonl", OLD) })).toThrow(
      expect.objectContaining({
        code: "unsafe-path",
        message: expect.stringContaining("found one of user 65534 that leads to"),
      }),
    );
    expect(readdirSync(sessions).toSorted()).toEqual([
      "s.jsonl",
      archiveFile("s.jsonl", OLD).slice(sessions.length + 1),
    ]);
    isSecretWhole();
  });

  it("is not followed by the guard, which says so", async () => {
    writeFileSync(secret, "no line feed");
    await repairSessionFile(at("s.jsonl"));
    expect(readFileSync(secret, "utf8")).toBe("no line feed");
    expect(String(warn.mock.calls)).toMatch(
      /session load: expected .* no symbolic link that another user could have put there/,
    );
  });

  it("is not appended to, nor copied", () => {
    writeFileSync(secret, OLD);
    expect(() => new TranscriptFile(at("s.jsonl")).append([{ type: "custom" }])).toThrow(
      expect.objectContaining({ code: "unsafe-path" }),
    );
    expect(() => copyTranscript(at("s.jsonl"))).toThrow(expect.objectContaining({ code: "unsafe-path" }));
    expect(readFileSync(secret, "utf8")).toBe(OLD);
  });
});

it("a transcript that is the user's own link stays one, and what is behind it is repaired and restored", async () => {
  mkdirSync(join(state, "elsewhere"));
  writeFileSync(join(state, "elsewhere", "s.jsonl"), SICK);
  symlinkSync(join(state, "elsewhere", "s.jsonl"), at("s.jsonl"));
  const { archive } = (await repair("s")) as { archive: string };
  expect([lstatSync(at("s.jsonl")).isSymbolicLink(), readFileSync(archive, "utf8")]).toEqual([true, SICK]);
  writeFileSync(join(sessions, "sessions.json"), JSON.stringify({ "agent:main:main": { sessionId: "s" } }));
  expect(restoreFile({ archive })).toMatchObject({ action: "restored" });
  expect([
    lstatSync(at("s.jsonl")).isSymbolicLink(),
    readFileSync(join(state, "elsewhere", "s.jsonl"), "utf8"),
  ]).toEqual([true, SICK]);
});

describe("a state directory that everybody may write to", () => {
  it("is refused in words by restore and repair, and nothing is changed; the guard, which nobody could answer, mends all the same", async () => {
    writeFileSync(at("s.jsonl"), SICK);
    writeFileSync(archiveFile("s.jsonl", OLD), OLD);
    chmodSync(join(state, "agents"), 0o777);
    const before = readdirSync(sessions);
    for (const work of [async () => restoreFile({ archive: archiveFile("s.jsonl", OLD) }), () => repair("s")]) {
      await expect(work()).rejects.toThrow(
        expect.objectContaining({
          code: "unsafe-path",
          message: expect.stringContaining(`the folder ${join(state, "agents")}`),
        }),
      );
    }
    expect([readFileSync(at("s.jsonl"), "utf8"), readdirSync(sessions)]).toEqual([SICK, before]);
    writeFileSync(at("s.jsonl"), OLD.slice(OLD.indexOf("\n") + 1));
    await repairSessionFile(at("s.jsonl"));
    expect(readFileSync(at("s.jsonl"), "utf8")).toMatch(/^\{"type":"session"/);
  });
});

describe.runIf(isRoot)("root in the folder of a user (sudo)", () => {
  it("leaves everything to that user: the repaired transcript, its archive, the restored one, the list of sessions", async () => {
    writeFileSync(at("s.jsonl"), SICK, { mode: 0o640 });
    writeFileSync(at("sessions.json"), JSON.stringify({ "agent:main:main": { sessionId: "gone", updatedAt: 1 } }), {
      mode: 0o600,
    });
    for (const path of [
      state,
      join(state, "agents"),
      join(state, "agents", "main"),
      sessions,
      at("s.jsonl"),
      at("sessions.json"),
    ])
      chownSync(path, NOBODY, NOBODY);
    const { archive } = (await repair("s")) as { archive: string };
    expect(restoreFile({ archive, sessionKey: "agent:main:main" })).toMatchObject({ action: "restored" });
    new ScanMemory(state).save();
    writeManifest(state, { sessionId: "x", leafEntryId: "", messages: 0, sha256: "" });
    const files = [
      ...readdirSync(sessions).map((name) => at(name)),
      new ScanMemory(state).file,
      join(state, "integrity-archives"),
      ...readdirSync(join(state, "integrity-archives")).map((name) => join(state, "integrity-archives", name)),
    ];
    expect(files.length).toBeGreaterThan(6);
    for (const file of files) expect([file, statSync(file).uid, statSync(file).gid]).toEqual([file, NOBODY, NOBODY]);
    expect([statSync(at("s.jsonl")).mode & 0o777, statSync(archive).mode & 0o777]).toEqual([0o640, 0o640]);
    expect(spawnSync("cat", [at("s.jsonl"), archive], { uid: NOBODY, gid: NOBODY }).status).toBe(0);
  });

  // What no single look can prevent: the user changes the folders between root's looks, as fast as a process can.
  it("writes nothing of root's own, however that user changes folders and files for links meanwhile", async () => {
    const roots = join(state, "roots");
    mkdirSync(join(roots, "sessions"), { recursive: true });
    const victims = [join(roots, "s.jsonl"), join(roots, "sessions", "s.jsonl"), secret];
    for (const victim of victims) writeFileSync(victim, SECRET, { mode: 0o600 });
    const before = [roots, join(roots, "sessions")].map((folder) => readdirSync(folder));
    writeFileSync(at("s.jsonl"), SICK);
    writeFileSync(archiveFile("s.jsonl", OLD), OLD);
    writeFileSync(archiveFile("s.jsonl", SICK), SICK);
    // What root reads by a path that changes must be there behind the links as well, or it would not get as far as
    // writing.
    for (const folder of [roots, join(roots, "sessions")])
      for (const text of [OLD, SICK])
        writeFileSync(join(folder, archiveFile("s.jsonl", text).slice(sessions.length + 1)), text);
    for (const path of [
      join(state, "agents"),
      join(state, "agents", "main"),
      sessions,
      ...readdirSync(sessions).map((name) => at(name)),
    ])
      chownSync(path, NOBODY, NOBODY);

    const attack = `
      import { renameSync, symlinkSync, rmSync, readdirSync } from "node:fs";
      const [main, sessions, roots, secret] = ${JSON.stringify([join(state, "agents", "main"), sessions, roots, secret])};
      const quietly = (work) => { try { work(); } catch {} };
      console.log("ready");
      for (let turn = 0; ; turn++) {
        const [path, target] = turn % 2 === 0 ? [sessions, roots] : [main, roots];
        quietly(() => renameSync(path, path + ".real"));
        quietly(() => symlinkSync(target, path));
        for (let at = 0; at < turn % 7; at++) quietly(() => readdirSync(path));
        quietly(() => rmSync(path));
        quietly(() => renameSync(path + ".real", path));
        quietly(() => { for (const name of readdirSync(sessions)) if (name.endsWith(".tmp")) { rmSync(sessions + "/" + name); symlinkSync(secret, sessions + "/" + name); } });
      }`;
    const attacker = spawn(reachableNode(), ["--input-type=module", "-e", attack], {
      ...asNobody,
      cwd: "/",
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(attacker.stdout, "data");
    const source = pathToFileURL(join(import.meta.dirname, "../../src/store/index.ts")).href;
    const rooted = `
      const { restoreFile } = await import(${JSON.stringify(source)});
      const outcomes = {};
      const until = Date.now() + 8000;
      for (let turn = 0; Date.now() < until; turn++) {
        let outcome;
        try { outcome = restoreFile({ archive: turn % 2 ? ${JSON.stringify(archiveFile("s.jsonl", OLD))} : ${JSON.stringify(archiveFile("s.jsonl", SICK))} }).action; } catch (error) { outcome = error.code ?? "fault"; }
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
      console.log(JSON.stringify(outcomes));`;
    const root = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", rooted], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, OPENCLAW_STATE_DIR: state },
    });
    const told = once(root.stdout, "data");
    await once(root, "close");
    attacker.kill("SIGKILL");
    await once(attacker, "close");
    const outcomes = JSON.parse(String((await told)[0])) as Record<string, number>;
    for (const victim of victims)
      expect([victim, existsSync(victim) && readFileSync(victim, "utf8")]).toEqual([victim, SECRET]);
    const archives = [OLD, SICK].map((text) => archiveFile("s.jsonl", text).slice(sessions.length + 1));
    expect(
      [roots, join(roots, "sessions")].map((folder) => readdirSync(folder).filter((name) => !archives.includes(name))),
    ).toEqual(before);
    // It was a race: there were both.
    expect(outcomes["restored"]).toBeGreaterThan(0);
    expect(outcomes["unsafe-path"]).toBeGreaterThan(0);
  });
});
