import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { locatePieces, readStored } from "./kept.ts";

let stateDir = "";
beforeEach(() => {
  stateDir = newFolder();
  for (const folder of ["sessions", "agent"]) mkdirSync(join(stateDir, "agents", "main", folder), { recursive: true });
});

const file = (name: string, text: string): void =>
  writeFileSync(join(stateDir, "agents", "main", "sessions", name), text);

test("finds what a request no longer has in an archive, in the store, or nowhere", () => {
  file("one.jsonl", "sent stored");
  file("one.jsonl.integrity-0123456789ab.bak", "sent archived");
  file("two.jsonl.reset.2026-11-22", "put aside");
  file("sessions.json", "no session");
  const places = locatePieces(
    ["sent", "stored", "archived", "put aside", "no session"],
    "sent again",
    readStored(stateDir),
  );
  expect([...places.values()]).toEqual(["request", "store", "archive", "archive", "lost"]);
});

test("reads rows, packed ones too", () => {
  const database = new DatabaseSync(join(stateDir, "agents", "main", "agent", "openclaw-agent.sqlite"));
  database.exec("CREATE TABLE transcript_events (event_json TEXT, event_zstd BLOB)");
  const insert = database.prepare("INSERT INTO transcript_events VALUES (?, ?)");
  insert.run("plain row", null);
  insert.run(null, zstdCompressSync(Buffer.from("packed row")));
  database.close();
  expect([...locatePieces(["plain row", "packed row", "no row"], "", readStored(stateDir)).values()]).toEqual([
    "store",
    "store",
    "lost",
  ]);
});
