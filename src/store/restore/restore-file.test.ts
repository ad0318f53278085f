import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reachable, runAsNobody } from "../../../harness/nobody.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { StoreError } from "../errors.ts";
import { restoreFile } from "./restore-file.ts";

const OLD = '{"type":"session","version":3}\n{"broken\n';
const NEW = '{"type":"session","version":3}\n{"type":"message"}\n';
const ID = "0b9c2a1e-0000-4000-8000-000000000001";

/** OpenClaw's folder with one session that was archived and goes on; its list of sessions as given. */
function sessions(index: object | undefined = { "agent:main:main": { sessionId: ID } }, present: string | null = NEW) {
  const folder = newFolder();
  const transcript = join(folder, `${ID}.jsonl`);
  const archive = `${transcript}.integrity-${hashText(OLD).slice(0, 12)}.bak`;
  writeFileSync(archive, OLD, { mode: 0o600 });
  if (present !== null) writeFileSync(transcript, present, { mode: 0o640 });
  if (index !== undefined) writeFileSync(join(folder, "sessions.json"), JSON.stringify(index), { mode: 0o600 });
  return { folder, transcript, archive, index: join(folder, "sessions.json") };
}

const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Everything in a folder. */
const snapshot = (folder: string) =>
  readdirSync(folder).map((name) => [
    name,
    readFileSync(join(folder, name), "utf8"),
    statSync(join(folder, name)).mode,
  ]);

function catchCode(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [error.code, error.message];
  }
}

const refused = (code: string, ...texts: string[]) => [
  code,
  expect.stringMatching(new RegExp(texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*"))),
];

test("byte for byte the archive, what was there kept beside it, mode and list of sessions as they were; twice is once", () => {
  const { folder, transcript, archive, index } = sessions();
  const listed = statSync(index);
  const restored = restoreFile({ archive });
  const kept = `${transcript}.integrity-${hashText(NEW).slice(0, 12)}.bak`;
  expect(restored).toEqual({
    archive,
    transcript,
    sha256: hashText(OLD),
    action: "restored",
    kept,
    sessionKeys: ["agent:main:main"],
    isIndexed: true,
  });
  expect([readFileSync(transcript, "utf8"), statSync(transcript).mode & 0o777]).toEqual([OLD, 0o640]);
  expect([readFileSync(kept, "utf8"), statSync(kept).mode & 0o777]).toEqual([NEW, 0o640]);
  expect([statSync(index).ino, statSync(index).mtimeMs]).toEqual([listed.ino, listed.mtimeMs]);
  const after = snapshot(folder);
  expect(restoreFile({ archive })).toMatchObject({ action: "already" });
  expect(snapshot(folder)).toEqual(after);
  expect(restoreFile({ archive: kept })).toMatchObject({ action: "restored", kept: archive });
  expect(readFileSync(transcript, "utf8")).toBe(NEW);
});

test("a transcript that OpenClaw has deleted comes back", () => {
  const { folder, transcript, archive } = sessions(undefined, null);
  writeFileSync(join(folder, "sessions.json"), "{}");
  expect(restoreFile({ archive })).toMatchObject({ action: "restored", sessionKeys: [] });
  expect([readFileSync(transcript, "utf8"), statSync(transcript).mode & 0o777]).toEqual([OLD, 0o600]);
});

test("a dry run changes nothing", () => {
  const { folder, archive } = sessions();
  const before = snapshot(folder);
  expect(restoreFile({ archive, dryRun: true })).toMatchObject({ action: "would-restore" });
  expect(snapshot(folder)).toEqual(before);
});

test("with a key, the conversation that a reset has moved to another session goes on in the restored one; the rest of the list stays", () => {
  const entry = {
    sessionId: "other",
    sessionFile: "/gone/other.jsonl",
    updatedAt: 1,
    sessionStartedAt: 1,
    lastChannel: "telegram",
  };
  const { transcript, archive, index } = sessions({ "agent:main:main": entry, "agent:main:two": { sessionId: "two" } });
  expect(restoreFile({ archive })).toMatchObject({ action: "restored", sessionKeys: [] });
  expect(restoreFile({ archive, sessionKey: "agent:main:main" })).toMatchObject({
    action: "restored",
    sessionKeys: ["agent:main:main"],
  });
  const listed = JSON.parse(readFileSync(index, "utf8")) as Record<
    string,
    { updatedAt: number; sessionStartedAt: number }
  >;
  expect(listed).toEqual({
    "agent:main:main": {
      ...entry,
      sessionId: ID,
      sessionFile: transcript,
      updatedAt: expect.any(Number),
      sessionStartedAt: expect.any(Number),
    },
    "agent:main:two": { sessionId: "two" },
  });
  // OpenClaw gives a session that looks old a new one.
  expect(listed["agent:main:main"]?.updatedAt).toBeGreaterThan(1);
  expect(listed["agent:main:main"]?.sessionStartedAt).toBeGreaterThan(1);
  expect(restoreFile({ archive, sessionKey: "agent:main:main" })).toMatchObject({ action: "already" });
  expect(existsSync(`${index}.lock`)).toBe(false);
});

test("an entry that names the file by another path to it is found", () => {
  const { folder, transcript, archive } = sessions({});
  const link = join(newFolder(), "link");
  symlinkSync(folder, link);
  writeFileSync(
    join(folder, "sessions.json"),
    JSON.stringify({ key: { sessionId: "x", sessionFile: join(link, `${ID}.jsonl`) } }),
  );
  expect(restoreFile({ archive })).toMatchObject({ transcript, sessionKeys: ["key"] });
});

test("refused, and nothing is changed", () => {
  const { folder, transcript, archive } = sessions({
    "agent:main:main": { sessionId: "other" },
    "agent:main:two": { sessionId: ID },
  });
  const damaged = archive.replace(/integrity-.{12}/, "integrity-000000000000");
  writeFileSync(damaged, OLD);
  const moved = join(newFolder(), archive.slice(folder.length + 1));
  writeFileSync(moved, OLD);
  const asFolder = `${transcript}.integrity-111111111111.bak`;
  mkdirSync(asFolder);
  const before = readdirSync(folder).length;
  expect(catchCode(() => restoreFile({ archive: damaged }))).toEqual(
    refused("archive-damaged", "000000000000", hashText(OLD)),
  );
  expect(catchCode(() => restoreFile({ archive: `${transcript}.integrity-222222222222.bak` }))).toEqual(
    refused("archive-missing", "nothing there"),
  );
  expect(catchCode(() => restoreFile({ archive: asFolder }))).toEqual(refused("archive-foreign", "found a folder"));
  expect(catchCode(() => restoreFile({ archive: transcript }))).toEqual(
    refused("archive-foreign", "expected an archive of a transcript", "found"),
  );
  expect(catchCode(() => restoreFile({ archive: moved }))).toEqual(refused("archive-moved", "neither in"));
  expect(catchCode(() => restoreFile({ archive, sessionKey: "nobody" }))).toEqual(
    refused("session-missing", "agent:main:main, agent:main:two"),
  );
  expect(catchCode(() => restoreFile({ archive, sessionKey: "agent:main:main" }))).toEqual(
    refused("session-taken", "agent:main:two"),
  );
  writeFileSync(join(folder, "sessions.json"), "{");
  expect(catchCode(() => restoreFile({ archive }))).toEqual(refused("store-unreadable", "sessions.json"));
  expect([readdirSync(folder).length, readFileSync(transcript, "utf8")]).toEqual([before, NEW]);
});

test("a session that a living process works on is refused, also one that the conversation would be taken from; a dead one's lock is not in the way", () => {
  const { folder, transcript, archive } = sessions({ "agent:main:main": { sessionId: "other" } });
  const living = JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() });
  writeFileSync(`${transcript}.lock`, living);
  expect(catchCode(() => restoreFile({ archive }))).toEqual(refused("session-busy", `process ${process.pid}`));
  rmSync(`${transcript}.lock`);
  writeFileSync(join(folder, "other.jsonl.lock"), living);
  expect(catchCode(() => restoreFile({ archive, sessionKey: "agent:main:main" }))).toEqual(
    refused("session-busy", "other.jsonl"),
  );
  expect(readFileSync(transcript, "utf8")).toBe(NEW);
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  writeFileSync(`${transcript}.lock`, JSON.stringify({ pid, createdAt: new Date().toISOString() }));
  expect(restoreFile({ archive })).toMatchObject({ action: "restored" });
  expect(existsSync(`${transcript}.lock`)).toBe(false);
});

test.skipIf(process.platform === "win32")("a folder that cannot be written is refused, and nothing is changed", () => {
  const { folder, archive } = sessions();
  const before = snapshot(folder);
  for (const path of [archive, join(folder, `${ID}.jsonl`), join(folder, "sessions.json")]) chmodSync(path, 0o644);
  chmodSync(folder, 0o555);
  const code = `import { restoreFile } from ${JSON.stringify(reachable(join(import.meta.dirname, "restore-file.ts")))};
    try { restoreFile({ archive: ${JSON.stringify(archive)} }) } catch (error) { console.log(error.code, error.message) }`;
  const { stdout } = runAsNobody(["--no-warnings", "--input-type=module", "-e", code]);
  chmodSync(folder, 0o755);
  expect(stdout).toMatch(/^not-writable expected to make the lock .*; found no permission \(EACCES\)/);
  expect(snapshot(folder).map(([name, text]) => [name, text])).toEqual(before.map(([name, text]) => [name, text]));
});
