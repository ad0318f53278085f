import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { reachable, runAsNobody } from "../../harness/nobody.ts";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, openPostgresStore, openSqliteStore } from "../../src/continuity/index.ts";
import { continuityFile } from "../../src/continuity-tools/index.ts";
import { journalFile, openJournal, setAside } from "../../src/journal/index.ts";
import { KnownSessions } from "../../src/privacy/index.ts";
import { cli, type Run, userEnvironment } from "../cli/fixture.ts";
import { startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { filesBelow, isOurs, wordsIn, wordsInOurFiles } from "./bytes.ts";
import { runPurge } from "./run-purge.ts";
import { fillSession, sessionsFolder, type FilledSession } from "./state.ts";

const DAY_MS = 86_400_000;

/** Filled once, copied for each test. */
let model: string;
let stateDir: string;
let gone: FilledSession;
let other: FilledSession;
beforeAll(async () => {
  model = newFolder();
  gone = await fillSession(model, "gone");
  other = await fillSession(model, "other");
});
beforeEach(() => {
  stateDir = newFolder();
  cpSync(model, stateDir, { recursive: true, preserveTimestamps: true });
  // The list names where transcripts lie.
  const known = new KnownSessions(stateDir);
  rmSync(known.file);
  for (const { id, key } of [gone, other])
    known.note([
      { agentId: "main", sessionId: id, sessionKey: key, transcript: join(sessionsFolder(stateDir), `${id}.jsonl`) },
    ]);
});

/** The command as a process of its own: for what only a process shows, because each takes a second. */
const spawned = (...args: string[]): Run =>
  cli(["purge", ...args], newFolder(), { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir });
const run = (...args: string[]): Promise<Run> => runPurge(stateDir, ...args);
const purge = (...args: string[]): Promise<Run> => run(...args, "--yes", "--json");
/** The files of ours that name a session, by their paths or by their bytes. */
const naming = ({ id, key }: FilledSession): string[] =>
  filesBelow(stateDir)
    .filter(isOurs)
    .filter((file) => file.includes(id) || wordsIn(file, [id, key]).length > 0);

/** As OpenClaw 2026.2.3 does it. */
function deleteAsOpenClaw({ id, key }: FilledSession, at = new Date()): string {
  const file = join(sessionsFolder(stateDir), `${id}.jsonl`);
  const renamed = `${file}.deleted.${at.toISOString().replaceAll(":", "-")}`;
  renameSync(file, renamed);
  const index = join(sessionsFolder(stateDir), "sessions.json");
  const entries = JSON.parse(readFileSync(index, "utf8")) as Record<string, unknown>;
  delete entries[key];
  writeFileSync(index, JSON.stringify(entries));
  return renamed;
}

describe("a purged session", () => {
  it.each([
    ["by its id", () => gone.id],
    ["by the key of its conversation", () => gone.key],
    ["by the beginning of its id", () => gone.id.slice(0, 6)],
    ["by its key as reports show it", () => gone.key.replace("agent:main:", "")],
    ["by its id as reports show it", () => `${gone.id.slice(0, 8)}-…${gone.id.slice(-4)}`],
  ])(
    "named %s is in no file of ours, in no freed page and no write-ahead log, and the other one is as it was",
    async (_how, name) => {
      expect(wordsInOurFiles(stateDir, gone.words).length).toBeGreaterThan(gone.words.length);
      const { status, data } = await purge(name());
      expect({ status, ...data }).toMatchObject({
        status: 0,
        ok: true,
        action: "purged",
        sessions: [gone.id],
        conversations: [gone.key],
        left: [],
        warnings: [],
      });
      expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
      expect(naming(gone)).toEqual([]);
      expect(wordsInOurFiles(stateDir, other.words).map((found) => found.split(":")[0])).toEqual(
        expect.arrayContaining([...other.words]),
      );
      expect(naming(other).length).toBeGreaterThan(6);
      // OpenClaw's own is OpenClaw's.
      expect(readFileSync(join(sessionsFolder(stateDir), `${gone.id}.jsonl`), "utf8")).toContain(gone.words[0]);
      expect(data["openclaw"]).toMatchObject([{ what: "file", sessionId: gone.id }]);
    },
  );

  it("that OpenClaw has deleted is found by its id and by its key, which no file of OpenClaw's names any more", async () => {
    deleteAsOpenClaw(gone);
    const { status, data } = await purge(gone.key);
    expect({ status, ...data }).toMatchObject({
      status: 0,
      action: "purged",
      sessions: [gone.id],
      conversations: [gone.key],
      openclaw: [{ what: "file", place: expect.stringContaining(".jsonl.deleted.") }],
    });
    expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
    expect(naming(gone)).toEqual([]);
  });

  it("is told what was found where, and what no command reaches", async () => {
    const { status, stdout } = spawned(gone.id, "--yes");
    expect(status).toBe(0);
    for (const line of [
      /1 copy of a transcript, \d+ B, in agents\/main\/sessions\/.+\.bak$/m,
      /2 unfinished files, 1 kB, in agents\/main\/sessions$/m,
      /5 tool calls, \d+ B, in openclaw-integrity\.sqlite$/m,
      /1 unanswered message/,
      /1 checkpoint,/,
      /2 incidents, .+ in openclaw-integrity\.sqlite \(no text\)/,
      /1 incident file/,
      /1 move,/,
      /1 name of a place/,
      /\d+ rows of recorded work, .+ in openclaw-continuity\.sqlite$/m,
      /1 record of where a path ended/,
      /1 scan result/,
      /kept by OpenClaw itself, and left alone by this command:/,
      /backups, snapshots of the file system/,
      /what providers and chat services have been sent/,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).not.toMatch(new RegExp(gone.words.join("|")));
  });

  it("purged twice, and a name that nobody has, are refused unless the script says that they need not be there", async () => {
    deleteAsOpenClaw(gone);
    rmSync(
      join(
        sessionsFolder(stateDir),
        readdirSync(sessionsFolder(stateDir)).find((name) => name.includes(".deleted."))!,
      ),
    );
    expect((await purge(gone.id)).data).toMatchObject({ action: "purged" });
    for (const name of [gone.id, "agent:main:nobody"]) {
      expect(await purge(name)).toMatchObject({
        status: 1,
        data: { ok: false, code: "session-missing", message: expect.stringContaining(name) },
      });
      expect(await purge(name, "--archives")).toMatchObject({ status: 1, data: { code: "session-missing" } });
      expect(await purge(name, "--if-exists")).toMatchObject({
        status: 0,
        data: { ok: true, action: "nothing", found: [], warnings: [expect.stringContaining("nothing is known of")] },
      });
    }
  });

  it("that OpenClaw still has may be purged again and again", async () => {
    expect((await purge(other.id)).data).toMatchObject({ action: "purged" });
    expect(await purge(other.id)).toMatchObject({ status: 0, data: { action: "nothing" } });
  });

  it("is not looked for where there is no state directory", async () => {
    const nowhere = join(stateDir, "nowhere");
    for (const args of [["--list"], [gone.id, "--yes"], ["--deleted", "--yes"]])
      expect(await runPurge(nowhere, ...args, "--json")).toMatchObject({ status: 1, data: { code: "state-missing" } });
    expect(existsSync(nowhere)).toBe(false);
  });

  it("with --dry-run is told of in numbers, and no byte of any file changes", async () => {
    const before = contents();
    const { status, data } = await run(gone.id, "--dry-run", "--json");
    expect({ status, ...data }).toMatchObject({ status: 0, action: "would-purge", left: [] });
    const found = data["found"] as { kind: string; count: number; bytes: number; hasWords: boolean }[];
    expect(found).toContainEqual(expect.objectContaining({ kind: "archive", count: 1, hasWords: true }));
    for (const { count, kind, bytes } of found)
      expect([kind, count > 0, ["scan_results", "session_list"].includes(kind) || bytes > 0]).toEqual([
        kind,
        true,
        true,
      ]);
    expect(contents()).toEqual(before);
  });

  it("is not deleted where nobody can be asked and --yes is not given", async () => {
    const before = contents();
    expect(await run(gone.id, "--json")).toMatchObject({
      status: 1,
      data: { ok: false, code: "declined", message: expect.stringContaining("--yes") },
    });
    expect(contents()).toEqual(before);
  });

  it("whose beginning several have is not guessed", async () => {
    expect(await purge("agent:main:telegram")).toMatchObject({
      status: 1,
      data: { code: "session-taken", message: expect.stringContaining(other.key) },
    });
    expect(await purge(gone.id.slice(0, 3))).toMatchObject({ status: 1, data: { code: "session-missing" } });
    expect(wordsInOurFiles(stateDir, gone.words)).not.toEqual([]);
  });

  it("of a conversation that goes on in another one takes nothing of that along", async () => {
    // As `/new` does it: the index names another session, the transcript stays.
    const index = join(sessionsFolder(stateDir), "sessions.json");
    const younger = "99999999-0000-4000-8000-000000000000";
    writeFileSync(
      index,
      JSON.stringify({
        ...(JSON.parse(readFileSync(index, "utf8")) as object),
        [gone.key]: { sessionId: younger, updatedAt: Date.now() },
      }),
    );
    expect((await purge(gone.id)).data).toMatchObject({
      action: "purged",
      sessions: [gone.id],
      conversations: [],
      goesOn: [gone.key],
      warnings: [expect.stringContaining("purge it by its key")],
    });
    expect(wordsInOurFiles(stateDir, gone.words).map((found) => found.split(":")[0])).toEqual(
      expect.arrayContaining(["gone-goal-quokka", "gone-step-quokka"]),
    );
    expect(wordsInOurFiles(stateDir, ["gone-said-quokka", "gone-result-quokka", "gone-reason-quokka"])).toEqual([]);
    expect((await purge(gone.key)).data).toMatchObject({ action: "purged" });
    expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
  });
});

describe("a purge is refused, and nothing is deleted, when", () => {
  it("OpenClaw answers in that session (its lock)", async () => {
    writeFileSync(
      join(sessionsFolder(stateDir), `${gone.id}.jsonl.lock`),
      JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() }),
    );
    const before = contents();
    expect(await purge(gone.key)).toMatchObject({ status: 1, data: { code: "session-busy" } });
    expect(contents()).toEqual(before);
  });

  it("a step of its recorded work is being executed", async () => {
    const continuity = new Continuity({ store: openSqliteStore({ file: continuityFile(stateDir) }) });
    await (await continuity.project(gone.key)).acquireLease({ owner_id: "laptop/3/4/cd" });
    expect(await purge(gone.key)).toMatchObject({
      status: 1,
      data: { code: "lease-held", message: expect.stringContaining("laptop/3/4/cd") },
    });
    await continuity.close();
    expect(wordsInOurFiles(stateDir, gone.words).map((found) => found.split(":")[0])).toEqual(
      expect.arrayContaining([...gone.words]),
    );
    expect((await purge(gone.key, "--force")).data).toMatchObject({ action: "purged" });
  });

  it.each([
    ["the journal", "openclaw-integrity.sqlite"],
    ["the index of the timeline", "openclaw-integrity-timeline.sqlite"],
    ["the recorded work", "openclaw-continuity.sqlite"],
    ["the list of sessions", "openclaw-integrity-sessions.sqlite"],
  ])("%s was written by a newer version", async (_what, name) => {
    const database = new DatabaseSync(join(stateDir, name));
    database.exec("PRAGMA user_version = 99");
    database.close();
    const before = contents();
    expect(await purge(gone.id)).toMatchObject({
      status: 1,
      data: {
        code: "newer",
        message: expect.stringMatching(
          /expected .+; found version 99.+Use the newer openclaw-integrity that wrote the file/s,
        ),
      },
    });
    expect(contents()).toEqual(before);
  });

  it("OpenClaw's list of sessions cannot be read: nobody can tell what is in use", async () => {
    writeFileSync(join(sessionsFolder(stateDir), "sessions.json"), "{ half");
    expect(await purge(gone.id)).toMatchObject({ status: 1, data: { code: "store-unreadable" } });
    expect(wordsInOurFiles(stateDir, gone.words).length).toBeGreaterThan(gone.words.length);
    expect((await purge(gone.id, "--force")).data).toMatchObject({ action: "purged" });
  });

  it("the state directory may not be written", async () => {
    for (const file of filesBelow(stateDir)) chmodSync(file, 0o444);
    for (const folder of [
      stateDir,
      join(stateDir, "agents"),
      join(stateDir, "agents/main"),
      sessionsFolder(stateDir),
      join(stateDir, "logs"),
      join(stateDir, "integrity-archives"),
    ])
      chmodSync(folder, 0o555);
    const before = contents();
    const { status, stdout } = runAsNobody([reachable(MAIN), "purge", gone.id, "--yes", "--json"], {
      env: { ...userEnvironment("/tmp"), OPENCLAW_STATE_DIR: stateDir },
    });
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({
      status: 1,
      ok: false,
      code: "not-writable",
      message: expect.stringMatching(/Give the user|Run it as the user/),
    });
    expect(contents()).toEqual(before);
    chmodSync(stateDir, 0o755);
  });

  it("neither a session nor anything else is named, with what could be", async () => {
    expect(spawned("--yes")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("name a session, or use --deleted"),
    });
    expect(spawned("--archives", "--yes")).toMatchObject({ status: 2 });
    expect(spawned("--older-than", "soon")).toMatchObject({ status: 2, stderr: expect.stringContaining("30d") });
  });
});

describe("damaged databases", () => {
  it("that were set aside are told of when they name the session, and deleted as a whole when that is asked for", async () => {
    const file = journalFile(stateDir);
    const aside = `${file}.damaged-2026-02-05T00-00-00-000Z`;
    cpSync(file, aside);
    expect((await purge(gone.id)).data).toMatchObject({
      action: "purged",
      warnings: [expect.stringContaining("--damaged")],
    });
    expect(wordsIn(aside, gone.words)).not.toEqual([]);
    expect((await purge("--damaged")).data).toMatchObject({
      action: "purged",
      found: [{ kind: "damaged_database", place: aside }],
    });
    expect(existsSync(aside)).toBe(false);
    expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
  });

  it("that lie in their place are not passed over: --damaged deletes them as a whole", async () => {
    const file = journalFile(stateDir);
    writeFileSync(file, readFileSync(file).fill(0xa5, 0, 4096));
    expect(await purge(gone.id)).toMatchObject({
      status: 1,
      data: { code: "damaged", message: expect.stringContaining("--damaged") },
    });
    expect((await purge(gone.id, "--damaged")).data).toMatchObject({ action: "purged" });
    expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
    expect(filesBelow(stateDir).filter((name) => name.includes(".damaged-"))).toEqual([]);
  });

  it("are never taken for ones of another program's", async () => {
    const theirs = join(stateDir, "notes.sqlite.damaged-2026-02-05T00-00-00-000Z");
    writeFileSync(theirs, gone.words.join(" "));
    await purge(gone.id, "--damaged");
    expect(existsSync(theirs)).toBe(true);
    expect(setAside(join(stateDir, "nothing"))).toBeUndefined();
  });
});

describe("archives", () => {
  const old = (path: string, days: number): void =>
    utimesSync(path, new Date(Date.now() - days * DAY_MS), new Date(Date.now() - days * DAY_MS));
  const copyAt = (days: number): string => {
    const path = join(sessionsFolder(stateDir), `${gone.id}.jsonl.integrity-${String(days).padStart(12, "0")}.bak`);
    cpSync(
      join(
        sessionsFolder(stateDir),
        readdirSync(sessionsFolder(stateDir)).find((name) => name.startsWith(gone.id) && name.endsWith(".bak"))!,
      ),
      path,
    );
    old(path, days);
    return path;
  };

  it("older than they shall be kept go, of all sessions, and younger ones stay", async () => {
    const [aged, young] = [copyAt(40), copyAt(20)];
    expect((await run("--older-than", "30d", "--dry-run", "--json")).data).toMatchObject({
      action: "would-purge",
      archives: [{ path: aged }],
      kept: [],
    });
    expect((await purge("--older-than", "30d")).data).toMatchObject({
      action: "purged",
      archives: [{ path: aged }],
      kept: [],
    });
    expect([aged, young].map((path) => existsSync(path))).toEqual([false, true]);
    expect((await purge("--archives", "--older-than", "30d")).data).toMatchObject({ action: "nothing" });
  });

  it("of a session that OpenClaw can no longer read: the youngest stays, unless that session is named", async () => {
    const paths = [copyAt(60), copyAt(50), copyAt(40)];
    // As OpenClaw 2026.2.3 resets after a refusal: the transcript is gone, and our copy is the last there is.
    for (const name of readdirSync(sessionsFolder(stateDir)))
      if (name.startsWith(gone.id) && !paths.some((path) => path.endsWith(name)))
        rmSync(join(sessionsFolder(stateDir), name));
    expect((await purge("--older-than", "30d")).data).toMatchObject({ action: "purged", kept: [{ path: paths[2] }] });
    expect(paths.map((path) => existsSync(path))).toEqual([false, false, true]);
    expect((await purge(gone.id, "--archives", "--older-than", "30d")).data).toMatchObject({
      action: "purged",
      archives: [{ path: paths[2] }],
    });
    expect(existsSync(paths[2]!)).toBe(false);
  });

  it("of a session whose transcript holds nothing that can be read count as the last, too", async () => {
    writeFileSync(join(sessionsFolder(stateDir), `${gone.id}.jsonl`), "");
    for (const name of readdirSync(sessionsFolder(stateDir)))
      if (name.startsWith(gone.id) && name.endsWith(".bak")) old(join(sessionsFolder(stateDir), name), 99);
    expect((await purge("--older-than", "30d")).data).toMatchObject({ kept: [{ sessionId: gone.id }] });
  });

  it("are all that a purge with --archives deletes", async () => {
    expect((await purge(gone.id, "--archives")).data).toMatchObject({ action: "purged" });
    expect(
      filesBelow(stateDir).filter((file) => file.includes(gone.id) && /\.bak$|integrity-archives/.test(file)),
    ).toEqual([]);
    const journal = openJournal(journalFile(stateDir));
    expect(journal.cycles.open(gone.id)).toHaveLength(3);
    journal.close();
  });
});

describe("what is left of deleted sessions", () => {
  it("is listed with the command that deletes it, and goes with --deleted; what was only reset or is not there stays", async () => {
    deleteAsOpenClaw(gone);
    const reset = await fillSession(stateDir, "reset", { isStored: false });
    const vanished = await fillSession(stateDir, "vanished", { isStored: false });
    writeFileSync(`${reset.transcript}.reset.2026-02-05T09-00-00.000Z`, "{}\n");
    const listed = (await run("--list")).stdout;
    for (const [session, why] of [
      [gone, "OpenClaw has deleted it"],
      [reset, "its conversation was reset"],
      [vanished, "OpenClaw does not have it, for an unknown reason"],
    ] as const) {
      expect(listed).toContain(`${session.id}, ${session.key}: ${why}`);
      expect(listed).toContain(`openclaw-integrity purge ${session.id}`);
    }
    expect(listed).not.toContain(other.id);
    // A copy may be the last of a session that was not deleted: the report names only what is to go.
    const report = cli(["sessions", "doctor"], newFolder(), {
      ...userEnvironment(newFolder()),
      OPENCLAW_STATE_DIR: stateDir,
    }).stdout;
    expect(report).toContain(
      `Data of sessions that OpenClaw has deleted\n  ${gone.id}, ${gone.key}\n    delete it:\n      openclaw-integrity purge ${gone.id}\n`,
    );
    for (const { id } of [reset, vanished, other]) expect(report).not.toContain(`purge ${id}`);
    expect((await purge("--deleted")).data).toMatchObject({
      action: "purged",
      sessions: [gone.id],
      conversations: [gone.key],
    });
    expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
    for (const { words } of [reset, vanished, other])
      expect(wordsInOurFiles(stateDir, words).length).toBeGreaterThan(words.length);
    expect((await purge("--deleted")).data).toMatchObject({ action: "nothing" });
  });

  it("is not made up while a store cannot be read", async () => {
    deleteAsOpenClaw(gone);
    writeFileSync(join(sessionsFolder(stateDir), "sessions.json"), "{ half");
    expect((await run("--list", "--json")).data).toMatchObject({ leftBehind: [] });
    expect(await purge("--deleted")).toMatchObject({ status: 1, data: { code: "store-unreadable" } });
  });
});

describe("recorded work", () => {
  it("in the store that the plugin's configuration names goes too, and a project of another name by that", async () => {
    const file = join(newFolder(), "elsewhere.sqlite");
    const continuity = { enabled: true, file };
    const config = { plugins: { entries: { "clawos-l0": { config: { continuity } } } } };
    writeFileSync(join(stateDir, "openclaw.json"), JSON.stringify(config));
    const store = new Continuity({ store: openSqliteStore({ file }) });
    for (const [name, text] of [
      [gone.key, "gone-there-quokka"],
      ["invoices", "invoices-there-quokka"],
    ] as const) {
      await (await store.project(name)).createGoal({ text });
    }
    await store.close();
    expect((await purge(gone.key)).data).toMatchObject({ action: "purged", left: [] });
    expect([...wordsInOurFiles(stateDir, gone.words), ...wordsIn(file, ["gone-there-quokka"])]).toEqual([]);
    expect(wordsIn(file, ["invoices-there-quokka"])).not.toEqual([]);
    expect((await purge("invoices")).data).toMatchObject({ action: "purged", conversations: ["invoices"] });
    expect(wordsIn(file, ["invoices-there-quokka"])).toEqual([]);
  });

  it("that an MCP client has recorded goes by the name of its project", async () => {
    const file = continuityFile(stateDir, "mcp");
    const store = new Continuity({ store: openSqliteStore({ file }) });
    for (const name of ["invoices", "letters"]) {
      await (await store.project(name)).createGoal({ text: `${name}-of-a-client-quokka` });
    }
    await store.close();
    expect((await purge("invoices")).data).toMatchObject({ action: "purged", conversations: ["invoices"] });
    expect(wordsIn(file, ["invoices-of-a-client-quokka"])).toEqual([]);
    expect(wordsIn(file, ["letters-of-a-client-quokka"])).not.toEqual([]);
  });

  it.skipIf(whyNoPostgres() !== undefined)("in PostgreSQL goes from there", async () => {
    const server = await startPostgres();
    try {
      const store = new Continuity({ store: await openPostgresStore({ connectionString: server.url }) });
      await (await store.project(gone.key)).createGoal({ text: "gone-there-quokka" });
      await (await store.project(other.key)).createGoal({ text: "other-there-quokka" });
      const { data } = await purge(gone.key, "--postgres", server.url);
      expect(data).toMatchObject({ action: "purged", left: [] });
      expect(data["found"]).toContainEqual(
        expect.objectContaining({ kind: "recorded_work", place: "schema continuity" }),
      );
      expect(await store.projects()).toEqual([other.key]);
      await store.close();

      // With an anchor, whose line would make new work of that conversation an older copy of the purged one.
      const anchor = { file: join(stateDir, "work.anchor") };
      const settings = { enabled: true, postgres: server.url, anchor: "work.anchor" };
      const config = { plugins: { entries: { "clawos-l0": { config: { continuity: settings } } } } };
      writeFileSync(join(stateDir, "openclaw.json"), JSON.stringify(config));
      const open = async (): Promise<Continuity> =>
        new Continuity({ store: await openPostgresStore({ connectionString: server.url, anchor }) });
      for (const args of [[], ["--postgres", server.url, "--anchor", anchor.file]]) {
        if (args.length > 0) rmSync(join(stateDir, "openclaw.json"));
        const noted = await open();
        const project = await noted.project(gone.key);
        const lease = await project.acquireLease({ owner_id: "o" });
        await lease.release();
        await noted.close();
        expect((await purge(gone.key, ...args)).data, args.join(" ")).toMatchObject({ action: "purged", left: [] });
        const again = await open();
        await (await again.project(gone.key)).createGoal({ text: "new" });
        await again.close();
      }
    } finally {
      await server.stop();
    }
  });
});

describe("sessions that are rows of OpenClaw's database", () => {
  /** The tables that tell of deletions, as OpenClaw 2026.9.6 makes them. */
  function keepRows({ key }: { readonly key?: string }): void {
    for (const name of readdirSync(sessionsFolder(stateDir))) {
      if (name === `${gone.id}.jsonl` || name === "sessions.json") rmSync(join(sessionsFolder(stateDir), name));
    }
    mkdirSync(join(stateDir, "agents", "main", "agent"));
    const database = new DatabaseSync(join(stateDir, "agents", "main", "agent", "openclaw-agent.sqlite"));
    database.exec(`CREATE TABLE session_nodes (session_key TEXT, current_session_id TEXT, status TEXT);
      CREATE TABLE session_windows (session_id TEXT, session_key TEXT, updated_at INTEGER);
      CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT);
      CREATE TABLE session_transcript_archives (session_id TEXT, session_key TEXT, reason TEXT, archive_blob BLOB, created_at INTEGER)`);
    database.prepare("INSERT INTO session_transcript_archives VALUES (?, ?, 'deleted', 'x', 1)").run(gone.id, gone.key);
    if (key !== undefined) database.prepare("INSERT INTO session_nodes VALUES (?, 'younger', 'running')").run(key);
    database.close();
  }

  it("an earlier one of a conversation that goes on was deleted by nobody: OpenClaw has made room so", async () => {
    keepRows({ key: gone.key });
    expect((await run("--list", "--json")).data["leftBehind"]).toContainEqual(
      expect.objectContaining({ sessionId: gone.id, why: "gone" }),
    );
    expect((await purge("--deleted")).data).toMatchObject({ action: "nothing" });
    expect(wordsInOurFiles(stateDir, gone.words)).not.toEqual([]);
  });

  it("one that was deleted with its conversation goes with --deleted", async () => {
    keepRows({});
    expect((await purge("--deleted")).data).toMatchObject({
      action: "purged",
      sessions: [gone.id],
      conversations: [gone.key],
    });
    expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
  });

  it("a run that OpenClaw's record tells of keeps its conversation from being purged, unless the record is wrong", async () => {
    keepRows({ key: gone.key });
    expect(await purge(gone.key)).toMatchObject({ status: 1, data: { code: "session-busy" } });
    expect((await purge(gone.key, "--force")).data).toMatchObject({ action: "purged" });
  });
});

it("two purges of one session at once do each other no harm", async () => {
  const { spawn } = await import("node:child_process");
  const env = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir };
  const both = await Promise.all(
    [1, 2].map(
      () =>
        new Promise<{ code: number | null; text: string }>((resolve) => {
          const child = spawn(process.execPath, [MAIN, "purge", gone.id, "--yes", "--json"], {
            env,
            stdio: ["ignore", "pipe", "inherit"],
          });
          let text = "";
          child.stdout.setEncoding("utf8").on("data", (part: string) => void (text += part));
          child.on("close", (code) => resolve({ code, text }));
        }),
    ),
  );
  for (const { code, text } of both) expect(code, text).toBe(0);
  expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
  expect(wordsInOurFiles(stateDir, other.words).length).toBeGreaterThan(other.words.length);
});

it("a transcript that may still be written is left, and said to be", async () => {
  // A draft whose random digits are all decimal reads as the id of a process that is not there.
  const written = join(sessionsFolder(stateDir), `${gone.id}.jsonl.integrity-${"7".repeat(16)}.tmp`);
  writeFileSync(written, gone.words.join(" "));
  expect(await purge(gone.id)).toMatchObject({
    status: 1,
    data: {
      ok: false,
      action: "incomplete",
      left: [expect.stringContaining("7.tmp was written to in the last minute"), expect.anything()],
    },
  });
  expect(existsSync(written)).toBe(true);
  rmSync(written);
  expect(await purge(gone.id)).toMatchObject({ status: 0, data: { action: "purged" } });
});

it("files of a version before, which did not zero what it deleted, hold nothing after a purge", async () => {
  const file = journalFile(stateDir);
  const database = new DatabaseSync(file);
  database.exec("PRAGMA secure_delete = OFF");
  for (let at = 0; at < 40; at++)
    database
      .prepare("INSERT INTO unanswered_messages (session_id, entry_id, message, at) VALUES (?, ?, ?, 1)")
      .run(gone.id, `x${at}`, JSON.stringify({ content: `${gone.words[0]} ${"y".repeat(at * 60)}` }));
  database.prepare("DELETE FROM unanswered_messages WHERE entry_id LIKE 'x%'").run();
  database.close();
  expect(wordsIn(file, [gone.words[0]!])).not.toEqual([]);
  expect((await purge(gone.id)).data).toMatchObject({ action: "purged" });
  expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
});

function contents(): Record<string, string> {
  return Object.fromEntries(
    filesBelow(stateDir)
      .filter((file) => !file.endsWith("-shm") && !file.endsWith("-wal"))
      .map((file) => [file, readFileSync(file, "base64")]),
  );
}
