import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { editCompiled } from "./compiled-edit.ts";
import { readProofPlan } from "./proof-plan.ts";

const NAME = "09-index-branches-in-their-commit";
const PLAN = fileURLToPath(new URL(`../../upstream/${NAME}/proof.json`, import.meta.url));
const SCHEMA = "const OPENCLAW_AGENT_SCHEMA_SQL = ";
const APPENDER = "createTranscriptIndexAppenderInTransaction";

type Row = readonly [seq: number, id: string, parentId: string | null];
type Appender = (params: { seq: number; event: object; eventId: string; createdAt: number }) => boolean;

/** OpenClaw's own functions out of a chunk of 2026.9.6, on a database in memory with OpenClaw's own tables. */
class Session {
  readonly #db = new DatabaseSync(":memory:");
  readonly #named: (name: string) => (...args: readonly unknown[]) => unknown;

  constructor(chunk: object, schema: string) {
    const functions = Object.values(chunk).filter((value) => typeof value === "function");
    this.#named = (name) => functions.find((one) => one.name === name)!;
    this.#db.exec(schema);
    this.#db.exec(
      "INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at) VALUES ('s', 's', '{}', 1); " +
        "INSERT INTO session_windows (session_id, session_key, created_at, updated_at) VALUES ('s', 's', 1, 1)",
    );
    this.append([0, "a", null], [1, "b", "a"], [2, "c", "b"]);
  }

  /** One transaction. Returns for each row whether a rebuild is left to somebody else. */
  append(...rows: readonly Row[]): boolean[] {
    this.#db.exec("BEGIN");
    const appender = this.#named(APPENDER)(this.#db, "s") as Appender;
    const left = rows.map(([seq, id, parentId]) => {
      const event = { type: "message", id, parentId, message: { role: "user", content: id } };
      this.#db
        .prepare("INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES ('s', ?, ?, ?)")
        .run(seq, JSON.stringify(event), seq);
      return appender({ seq, event, eventId: id, createdAt: seq });
    });
    this.#db.exec("COMMIT");
    return left;
  }

  get isBehind(): unknown {
    return this.#named("sessionTranscriptIndexNeedsReconcile")(this.#db, "s");
  }

  get active(): unknown[] {
    const query =
      "SELECT event_seq FROM session_transcript_active_events WHERE session_id = 's' ORDER BY active_position";
    return this.#db
      .prepare(query)
      .all()
      .map((row) => row["event_seq"]);
  }
}

describe("pull request 09 on the functions of OpenClaw 2026.9.6: a branch is stored, and nothing runs after the commit", () => {
  let open: (variant: "published" | "changed") => Promise<Session>;
  beforeAll(async () => {
    const dist = join((await ensureRelease("2026.9.6")).stock, "dist");
    const named = (pattern: RegExp): string => readdirSync(dist).find((file) => pattern.test(file))!;
    const chunk = named(/^session-transcript-index-.*\.mjs$/);
    const line = readFileSync(join(dist, named(/^openclaw-agent-board-schema-.*\.mjs$/)), "utf8")
      .split("\n")
      .find((one) => one.startsWith(SCHEMA))!;
    const schema = JSON.parse(line.slice(SCHEMA.length).replace(/;$/, "")) as string;
    const root = newFolder();
    const copy = join(root, "node_modules", "openclaw", "dist");
    mkdirSync(copy, { recursive: true });
    copyFileSync(join(dist, chunk), join(copy, chunk));
    editCompiled(root, readProofPlan(PLAN, NAME).edits);
    const text = readFileSync(join(copy, chunk), "utf8");
    // Its neighbours are the published ones.
    writeFileSync(join(copy, chunk), text.replaceAll('from "./', `from "${pathToFileURL(dist).href}/`));
    open = async (variant) =>
      new Session(
        (await import(pathToFileURL(join(variant === "published" ? dist : copy, chunk)).href)) as object,
        schema,
      );
  });

  test("as published the index stays behind, for this row and all after it", async () => {
    const session = await open("published");
    expect(session.append([3, "d", "a"])).toEqual([true]);
    expect(session.append([4, "e", "d"])).toEqual([true]);
    expect([session.isBehind, session.active]).toEqual([true, [0, 1, 2]]);
  });

  test("with the change it is up to date in the same commit, and goes on from there", async () => {
    const session = await open("changed");
    expect(session.append([3, "d", "a"])).toEqual([false]);
    expect([session.isBehind, session.active]).toEqual([false, [0, 3]]);
    expect(session.append([4, "e", "d"])).toEqual([false]);
    expect([session.isBehind, session.active]).toEqual([false, [0, 3, 4]]);
  });

  test("a second branch in one transaction is left to the reconcile worker: no batch rebuilds once for each row", async () => {
    const session = await open("changed");
    expect(session.append([3, "d", "a"], [4, "e", "b"])).toEqual([false, true]);
    expect(session.isBehind).toBe(true);
  });
});
