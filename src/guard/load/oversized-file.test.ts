import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readArchiveFile } from "../../store/archives/archive-file.ts";
import { shortenTranscript } from "./oversized-file.ts";

const HEADER = { type: "session", version: 3, id: "s1", timestamp: "2026-02-05T00:00:00.000Z", cwd: "/w" };
type Row = Record<string, unknown>;

let folder = "";
let file = "";
let lines: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "integrity-oversized-"));
  file = join(folder, "my-session.jsonl");
  lines = [];
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function write(...rows: unknown[]): Buffer {
  writeFileSync(file, `${rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n")}\n`, {
    mode: 0o600,
  });
  return readFileSync(file);
}

const read = (): Row[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
const message = (id: string, parentId: string | null, role: string, text = id): Row => ({
  type: "message",
  id,
  parentId,
  timestamp: HEADER.timestamp,
  message: { role, content: [{ type: "text", text }] },
});
/** `count` messages one after the other, each of more than 100 characters, users' first. */
const talk = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) =>
    message(`m${at}`, at === 0 ? null : `m${at - 1}`, at % 2 === 0 ? "user" : "assistant", `${at} ${"x".repeat(100)}`),
  );
const ids = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id);

describe("a transcript that is too large to be read", () => {
  it("goes on with what its last compaction kept, each row as it was, and the whole is kept (1 GB)", () => {
    const before = [
      ...talk(20),
      { type: "compaction", id: "c1", parentId: "m19", summary: "first", firstKeptEntryId: "m2" },
      message("n0", "c1", "user"),
      message("n1", "n0", "assistant"),
    ];
    const after = [
      { type: "compaction", id: "c2", parentId: "n1", summary: "second", firstKeptEntryId: "n0" },
      message("n2", "c2", "user"),
      message("n3", "n2", "assistant"),
    ];
    const whole = write(HEADER, ...before, ...after);
    shortenTranscript(file);
    const [first, ...rest] = [...before.slice(-2), ...after];
    expect(read()).toEqual([HEADER, { ...first, parentId: null }, ...rest]);
    const [archive] = readdirSync(folder).filter((name) => name.endsWith(".bak"));
    expect(readArchiveFile(join(folder, archive!)).bytes.equals(whole)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lines).toEqual([
      expect.stringMatching(
        /a transcript of 0 MB is larger than can be read here \(\d+ MB\); the session continues with the last 5 of 26 entries, the whole transcript was kept as my-session\.jsonl\.integrity-[0-9a-f]{12}\.bak$/,
      ),
    ]);
  });

  it("goes on with its youngest messages, a user's first, where it was never compacted", () => {
    write(HEADER, ...talk(40));
    shortenTranscript(file, 1500);
    const rows = read();
    expect(ids(rows).at(-1)).toBe("m39");
    expect(rows.length).toBeGreaterThan(3);
    expect(Buffer.byteLength(JSON.stringify(rows))).toBeLessThan(1800);
    expect(rows[1]).toMatchObject({ parentId: null, message: { role: "user" } });
    expect(rows.slice(2).map(({ parentId }) => parentId)).toEqual(ids(rows.slice(1, -1)));
  });

  it("cuts what a compaction kept as well when that is too much", () => {
    write(
      HEADER,
      message("a", null, "user"),
      { type: "compaction", id: "c", parentId: "a", summary: "s", firstKeptEntryId: "a" },
      ...talk(40).map((row, at) => (at === 0 ? { ...row, parentId: "c" } : row)),
    );
    shortenTranscript(file, 1500);
    expect(read()[1]).toMatchObject({ parentId: null, message: { role: "user" } });
    expect(ids(read())).not.toContain("c");
  });

  it("keeps its last entry however large that is", () => {
    write(HEADER, ...talk(3), message("big", "m2", "assistant", "x".repeat(9000)));
    shortenTranscript(file, 1000);
    expect(ids(read())).toEqual(["s1", "big"]);
  });

  it("takes along how the session is set up", () => {
    const settings = [
      { type: "model_change", id: "s-1", parentId: null, modelId: "old" },
      { type: "model_change", id: "s-2", parentId: "s-1", modelId: "new" },
      { type: "thinking_level_change", id: "s-3", parentId: "s-2", thinkingLevel: "low" },
    ];
    write(HEADER, ...settings, ...talk(40).map((row, at) => (at === 0 ? { ...row, parentId: "s-3" } : row)));
    shortenTranscript(file, 800);
    expect(ids(read()).slice(0, 3)).toEqual(["s1", "s-2", "s-3"]);
    expect(read()[3]).toMatchObject({ parentId: "s-3", message: { role: "user" } });
  });

  it("leaves other branches and what is no row to the archive, and has a header in the end", () => {
    write(
      "no json",
      message("a", null, "user"),
      message("left", "a", "assistant"),
      message("b", "a", "assistant"),
      null,
      message("c", "b", "user"),
    );
    shortenTranscript(file);
    expect(read()).toMatchObject([
      { type: "session", version: 3, id: "my-session" },
      { id: "a", parentId: null },
      { id: "b", parentId: "a" },
      { id: "c", parentId: "b" },
    ]);
  });

  it("of a format without ids begins anew, and is kept", () => {
    const whole = write({ type: "session", id: "s1" }, { type: "message", message: { role: "user", content: "old" } });
    shortenTranscript(file);
    expect(read()).toEqual([{ type: "session", id: "s1" }]);
    expect(
      readFileSync(
        join(
          folder,
          readdirSync(folder).find((name) => name.endsWith(".bak"))!,
        ),
      ).equals(whole),
    ).toBe(true);
  });

  it("is not touched when it cannot be kept", () => {
    const whole = write(HEADER, ...talk(3));
    // Also for root: a folder stands where the archive belongs.
    mkdirSync(`${file}.integrity-${createHash("sha256").update(whole).digest("hex").slice(0, 12)}.bak`);
    expect(() => shortenTranscript(file)).toThrow(/expected to write/);
    expect(readFileSync(file).equals(whole)).toBe(true);
  });

  it("does not take half a copy, left by a kill, for the archive", () => {
    const whole = write(HEADER, ...talk(3));
    const archive = `${file}.integrity-${createHash("sha256").update(whole).digest("hex").slice(0, 12)}.bak`;
    writeFileSync(archive, whole.subarray(0, 50));
    shortenTranscript(file, 1);
    expect(readFileSync(archive).equals(whole)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});
