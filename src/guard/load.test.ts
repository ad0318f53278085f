import {
  appendFileSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { fileMemory } from "./base/memory.ts";
import { loadTranscript } from "./load/load-transcript.ts";
import type { BoundedContext } from "./load/loaded.ts";
import { repairSessionFile } from "./load/session-file.ts";
import { whenIndexed, whenReadable } from "./openclaw/when-indexed.ts";

const header = { type: "session", version: 3, id: "s1", timestamp: "2026-02-05T00:00:00.000Z", cwd: "/w" };
const row = (id: string, parentId: string | null, message: unknown = { role: "user", content: `text ${id}` }) => ({
  type: "message",
  id,
  parentId,
  message,
});

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe("JSONL transcripts", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = newFolder();
    file = join(folder, "my-session.jsonl");
  });
  const write = (...rows: unknown[]): void =>
    writeFileSync(
      file,
      `${rows.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")}\n`,
      { mode: 0o600 },
    );
  const read = (name = file): unknown[] =>
    readFileSync(name, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);

  it("a sound file is not written, nor is anything put beside it", async () => {
    write(header, row("a", null), row("b", "a"));
    utimesSync(file, 1, 1);
    await repairSessionFile(file);
    await repairSessionFile(file);
    expect(statSync(file).mtimeMs).toBe(1000);
    expect(readdirSync(folder)).toEqual(["my-session.jsonl"]);
  });

  it("a file in which no line is JSON, over which OpenClaw writes a new session, is kept beside it", async () => {
    for (const garbage of ["not json\n", "\u0000\u0001\ufffd{\n\u0002", '{"type":"sess']) {
      const first = readdirSync(folder).length;
      writeFileSync(file, garbage);
      await repairSessionFile(file);
      await repairSessionFile(file);
      const kept = readdirSync(folder).filter((name) => name.endsWith(".bak"));
      expect(readdirSync(folder)).toHaveLength(first === 0 ? 2 : first + 1);
      expect(kept.map((name) => readFileSync(join(folder, name), "utf8").trimEnd())).toContain(garbage.trimEnd());
      expect(readFileSync(file, "utf8").trimEnd()).toBe(garbage.trimEnd());
    }
    const archives = readdirSync(folder).length;
    for (const empty of ["", "\n", " \n\n"]) {
      writeFileSync(file, empty);
      await repairSessionFile(file);
    }
    expect(readdirSync(folder)).toHaveLength(archives);
  });

  it("a file without a header keeps its messages, and its first state is kept beside it (openclaw#89037)", async () => {
    write(row("a", null), row("b", "a"));
    const before = readFileSync(file, "utf8");
    await repairSessionFile(file);
    expect(read()).toEqual([
      { ...header, id: "my-session", timestamp: new Date(0).toISOString(), cwd: process.cwd() },
      row("a", null),
      row("b", "a"),
    ]);
    const backup = readdirSync(folder).find((name) => name.endsWith(".bak"))!;
    expect(readFileSync(join(folder, backup), "utf8")).toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("a beginning that OpenClaw's sessions.compact has cut off is told in words, also when it is cut off again", async () => {
    const said = (id: string, parentId: string | null): object => ({
      ...row(id, parentId),
      message: { role: "user", content: `words of ${id}` },
    });
    const cut = (time: string, ...kept: object[]): void => {
      copyFileSync(file, `${file}.bak.${time}`);
      write(...kept);
    };
    write(header, said("a", null), said("b", "a"), said("c", "b"));
    cut("2026-02-05T10-00-00.000Z", said("c", "b"));
    await repairSessionFile(file);
    expect(read()).toEqual([
      header,
      expect.objectContaining({
        type: "compaction",
        parentId: null,
        summary: expect.stringMatching(/words of a.*words of b/s),
      }),
      { ...said("c", null), parentId: (read()[1] as { id: string }).id },
    ]);
    const before = readFileSync(file, "utf8");
    await repairSessionFile(file);
    expect(readFileSync(file, "utf8"), "once").toBe(before);
    appendFileSync(file, `${JSON.stringify(said("d", "c"))}\n`);
    cut("2026-02-05T11-00-00.000Z", said("d", "c"));
    await repairSessionFile(file);
    expect(read()).toMatchObject([{}, { summary: expect.stringMatching(/words of c.*words of a/s) }, { id: "d" }]);
    write(said("d", "c"));
    for (const time of ["10", "11"]) rmSync(`${file}.bak.2026-02-05T${time}-00-00.000Z`);
    await repairSessionFile(file);
    expect(read(), "where the copy is gone").toMatchObject([{ type: "session" }, { id: "d", parentId: null }]);
  });

  it("what a summary has kept, and sessions.compact has cut off, is told in words behind it", async () => {
    const said = (id: string, parentId: string): object =>
      row(id, parentId, { role: "user", content: `words of ${id}` });
    const summary = { type: "compaction", id: "s", parentId: "d", firstKeptEntryId: "b", summary: "They greeted." };
    write(header, row("a", null), said("b", "a"), said("c", "b"), said("d", "c"), summary, said("e", "s"));
    copyFileSync(file, `${file}.bak.2026-02-05T10-00-00.000Z`);
    write(said("d", "c"), summary, said("e", "s"));
    await repairSessionFile(file);
    const note = read()[3] as { id: string; content: string };
    expect(read()).toEqual([
      header,
      { ...said("d", "c"), parentId: null },
      { ...summary, firstKeptEntryId: "d" },
      expect.objectContaining({ type: "custom_message", parentId: "s" }),
      said("e", note.id),
    ]);
    expect(note.content).toMatch(/words of b.*words of c/s);
    expect(note.content).not.toContain("words of d");
  });

  it("what a summary has kept is told in its order, each once, where sessions.compact cuts twice", async () => {
    const said = (id: string, parentId: string): object =>
      row(id, parentId, { role: "user", content: `words of ${id}` });
    const summary = { type: "compaction", id: "s", parentId: "d", firstKeptEntryId: "b", summary: "They greeted." };
    write(header, row("a", null), said("b", "a"), said("c", "b"), said("d", "c"), summary, said("e", "s"));
    for (const [hour, first] of [
      ["10", "c"],
      ["11", "d"],
    ] as const) {
      copyFileSync(file, `${file}.bak.2026-02-05T${hour}-00-00.000Z`);
      const rows = read() as { id: string }[];
      write(...rows.slice(rows.findIndex(({ id }) => id === first)));
      await repairSessionFile(file);
    }
    const rows = read() as { id: string; parentId: string | null; content?: string }[];
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows).toMatchObject([
      header,
      { id: "d", parentId: null },
      { id: "s", parentId: "d", firstKeptEntryId: "d" },
      { parentId: "s", content: expect.stringMatching(/^(?!.*words of c).*words of b/s) },
      { parentId: rows[3]!.id, content: expect.stringMatching(/^(?!.*words of b).*words of c/s) },
      { id: "e", parentId: rows[4]!.id },
    ]);
  });

  it("a session that OpenClaw has begun anew over one that was just cut off goes on behind it", async () => {
    write(header, row("a", null), row("b", "a"));
    copyFileSync(file, `${file}.bak.2026-02-05T10-00-00.188Z`);
    write({ ...header, id: "s2", timestamp: "2026-02-05T10:00:00.193Z" }, row("c", null), row("d", "c"));
    for (const time of ["once", "again"]) {
      await repairSessionFile(file);
      expect(read(), time).toEqual([header, row("a", null), row("b", "a"), row("c", "b"), row("d", "c")]);
    }
    for (const [time, whose] of [
      ["09:59", "older than the copy"],
      ["10:01", "of a person who has removed the file"],
    ] as const) {
      write({ ...header, timestamp: `2026-02-05T${time}:00.000Z` }, row("c", null));
      await repairSessionFile(file);
      expect(read(), whose).toHaveLength(2);
    }
  });

  it("damage in rows that were added after the first look is found", async () => {
    write(header, row("a", null));
    await repairSessionFile(file);
    appendFileSync(file, `${JSON.stringify(row("b", "a"))}\nnull\n${JSON.stringify(row("c", "lost"))}\n`);
    await repairSessionFile(file);
    expect(read().slice(1)).toMatchObject([{ id: "a" }, { id: "b" }, { type: "message" }, { id: "c" }]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it("a row that a kill left without its line feed is not lost with the one that OpenClaw appends to its line, nor is the history before it", async () => {
    write(header, row("a", null));
    appendFileSync(file, JSON.stringify(row("b", "a")));
    await repairSessionFile(file);
    appendFileSync(file, `${JSON.stringify(row("c", "b"))}\n`);
    await repairSessionFile(file);
    expect(read()).toEqual([header, row("a", null), row("b", "a"), row("c", "b")]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  describe("OpenClaw's own replies, which it appends without a parent", () => {
    const reply = (id: string, text = `reply ${id}`): object => ({
      type: "message",
      id,
      timestamp: "2026-02-05T00:00:01.000Z",
      message: { role: "assistant", content: [{ type: "text", text }], stopReason: "injected", usage: {} },
    });
    const linked = (id: string, parentId: string): object => ({ ...reply(id), parentId });

    it("get their parent in the file's place: no copy for each chat command, and the history stays on the path", async () => {
      write(header, row("a", null), row("b", "a"));
      await repairSessionFile(file);
      const { ino } = statSync(file);
      for (const [id, parentId, next] of [
        ["r1", "b", "c"],
        ["r2", "c", "d"],
        ["r3", "d", "e"],
      ] as const) {
        appendFileSync(file, `${JSON.stringify(reply(id))}\n`);
        await repairSessionFile(file);
        expect(read().at(-1)).toEqual(linked(id, parentId));
        appendFileSync(file, `${JSON.stringify(row(next, id))}\n`);
        await repairSessionFile(file);
      }
      expect(read()).toHaveLength(9);
      expect(readdirSync(folder)).toEqual(["my-session.jsonl"]);
      expect(statSync(file).ino).toBe(ino);
    });

    it("are linked one behind the other, whatever they say, by a guard that sees the file for the first time", async () => {
      write(header, row("a", null), reply("r1", "ä".repeat(70_000)), reply("r2"));
      await repairSessionFile(file);
      expect(readFileSync(file, "utf8").split("\n").filter(Boolean)).toHaveLength(4);
      expect(read().slice(2)).toMatchObject([
        { id: "r1", parentId: "a", message: { content: [{ text: "ä".repeat(70_000) }] } },
        linked("r2", "r1"),
      ]);
      expect(readdirSync(folder)).toHaveLength(1);
    });

    it("are linked without the loss of a record or of a line that is no JSON among them and behind them", async () => {
      const record = JSON.stringify({ type: "heartbeat", at: 7 });
      const torn = '{"type":"message","id":"to';
      write(header, row("a", null), reply("r1"));
      appendFileSync(file, `${record}\n${JSON.stringify(reply("r2"))}\n${torn}\n`);
      await repairSessionFile(file);
      const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
      expect([lines[3], lines[5]]).toEqual([record, torn]);
      expect([lines[2], lines[4]].map((line) => JSON.parse(line!) as object)).toEqual([
        linked("r1", "a"),
        linked("r2", "r1"),
      ]);
      expect(readdirSync(folder)).toHaveLength(1);
    });

    it("are left beside the path when a run has gone on without them", async () => {
      write(header, row("a", null), reply("r1"), row("b", "a"));
      const before = readFileSync(file, "utf8");
      await repairSessionFile(file);
      await repairSessionFile(file);
      expect(readFileSync(file, "utf8")).toBe(before);
      expect(readdirSync(folder)).toHaveLength(1);
    });

    it("that have cut the history off already, in an OpenClaw without the patch, are damage", async () => {
      write(header, row("a", null), reply("r1"), row("b", "r1"));
      await repairSessionFile(file);
      expect(read().slice(1)).toEqual([row("a", null), linked("r1", "a"), row("b", "r1")]);
      expect(readdirSync(folder)).toHaveLength(2);
    });

    it("in a file that has another name are linked in a new file, so that a backup stays as it is", async () => {
      write(header, row("a", null), reply("r1"));
      const before = readFileSync(file, "utf8");
      linkSync(file, join(folder, "backup"));
      await repairSessionFile(file);
      expect(read().at(-1)).toEqual(linked("r1", "a"));
      expect(readFileSync(join(folder, "backup"), "utf8")).toBe(before);
    });

    it("that begin a conversation cut nothing off", async () => {
      write(header, reply("r1"), row("a", "r1"));
      const before = readFileSync(file, "utf8");
      await repairSessionFile(file);
      expect(readFileSync(file, "utf8")).toBe(before);
    });
  });

  it("copies of a file that is damaged again and again do not grow without limit; what only one of them has stays", async () => {
    write("no row at all");
    await repairSessionFile(file);
    write(header, row("only here", "lost"));
    await repairSessionFile(file);
    write(header, row("m0", null));
    const copies = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".bak"));
    for (let nth = 1; nth < 20; nth++) {
      appendFileSync(file, `${JSON.stringify(row(`m${nth}`, `lost ${nth}`))}\n`);
      await repairSessionFile(file);
    }
    expect(read()).toHaveLength(21);
    expect(copies().length).toBeLessThanOrEqual(10);
    const kept = copies().map((name) => readFileSync(join(folder, name), "utf8"));
    expect(kept.filter((text) => /no row|only here/.test(text))).toHaveLength(2);
    expect(kept.some((text) => text.includes("lost 19"))).toBe(true);
  });

  it("what a kill left of half a row takes no other row with it", async () => {
    write(header, row("a", null));
    appendFileSync(file, JSON.stringify(row("b", "a")).slice(0, 30));
    await repairSessionFile(file);
    appendFileSync(file, `${JSON.stringify(row("c", "a"))}\n`);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    expect(
      lines
        .slice(0, 2)
        .concat(lines.slice(3))
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([header, row("a", null), row("c", "a")]);
  });

  it("a file that was replaced by a longer one is read anew", async () => {
    write(header, row("a", null));
    await repairSessionFile(file);
    write(row("x", null), row("y", "x"), row("z", "y"), row("q", "z"));
    await repairSessionFile(file);
    expect(read()[0]).toMatchObject({ type: "session" });
  });

  it("a row that somebody changed in its place is seen, also where the file has the same size and time", async () => {
    const rows = [header, row("a", null), row("b", "a"), ...Array.from({ length: 9 }, (_, at) => row(`c${at}`, "b"))];
    write(...rows);
    utimesSync(file, 1, 1);
    await repairSessionFile(file);
    writeFileSync(file, readFileSync(file, "utf8").replace('"parentId":"a"', '"parentId":"x"'));
    utimesSync(file, 1, 1);
    await repairSessionFile(file);
    expect(read()).toEqual(rows);
  });

  it("questions in a file that has no answer any more are held, which OpenClaw would empty", async () => {
    const asked = { ...row("a", null), timestamp: "2020-01-01T00:00:00.000Z" };
    write(header, asked, row("b", "a", { role: "assistant", content: [{ type: "text", text: "so" }] }));
    await repairSessionFile(file);
    expect(fileMemory(file).held).toBeUndefined();
    write(header, asked);
    await repairSessionFile(file);
    expect(fileMemory(file).held).toEqual([asked.message]);
    appendFileSync(file, `${JSON.stringify(row("b", "a", { role: "assistant", content: [] }))}\n`);
    await repairSessionFile(file);
    expect(fileMemory(file).held, "answered meanwhile").toBeUndefined();
  });

  it("a missing and an empty file and a folder are no reason to throw", async () => {
    await repairSessionFile(join(folder, "none.jsonl"));
    writeFileSync(file, "");
    await repairSessionFile(file);
    await repairSessionFile(folder);
    expect(readdirSync(folder)).toEqual(["my-session.jsonl"]);
  });
});

/** What OpenClaw says of the rows it selected. */
function bounded(tree: { id: string; parentId: string | null }[]): BoundedContext {
  return {
    parents: new Map(tree.map(({ id, parentId }) => [id, parentId])),
    opaqueParents: new Map(),
    activeLeafEntryId: tree.at(-1)?.id ?? null,
    firstKeptRanges: new Map([["k", { startIndex: 1, endIndex: 2 }]]),
  };
}

describe("rows of a SQLite transcript", () => {
  it("come back as the same object when they are sound", () => {
    const entries = [header, row("a", null), row("b", "a"), row("c", "b"), row("d", "c")];
    const loaded = { entries, bounded: bounded(entries.slice(1) as never), sessionId: "s", readAll: () => entries };
    expect(loadTranscript(loaded)).toBe(loaded);
    expect(loadTranscript({ entries: [] })).toEqual({ entries: [] });
  });

  it("get a header of the current version, and places in them move along", () => {
    const entries = [row("a", null), row("b", "a"), row("c", "b"), row("d", "c")];
    const loaded = loadTranscript({ entries, bounded: bounded(entries), sessionId: "s-9", readAll: () => entries });
    expect(loaded.entries).toEqual([
      { ...header, id: "s-9", timestamp: new Date(0).toISOString(), cwd: process.cwd() },
      ...entries,
    ]);
    expect(loaded.bounded!.firstKeptRanges.get("k")).toEqual({ startIndex: 2, endIndex: 3 });
    expect(loadTranscript({ entries: [{ ...header, version: 2 }, ...entries] }).entries[0]).toEqual(header);
  });

  it("whose messages OpenClaw would pass over in silence are made readable", () => {
    const entries = [
      header,
      row("a", null, { role: "assistant", content: "plain text" }),
      row("b", "a", { role: "toolResult", toolCallId: 7, content: "out" }),
      row("c", "b"),
      row("d", "c"),
    ];
    const {
      entries: [, first, second],
    } = loadTranscript({ entries });
    expect(first).toMatchObject({ id: "a", message: { content: [{ type: "text", text: "plain text" }] } });
    expect(second).toMatchObject({
      id: "b",
      message: { toolCallId: "7", toolName: "unknown_tool", isError: false, content: [{ type: "text", text: "out" }] },
    });
  });

  it("of a short path are compared with all rows once, and again when the path is another one", () => {
    const readAll = vi.fn(() => [header, row("x", null), row("a", null)]);
    const load = (...tree: ReturnType<typeof row>[]) =>
      loadTranscript({ entries: [header, ...tree], bounded: bounded(tree), sessionId: "s-short", readAll });
    for (let time = 0; time < 3; time++) load(row("a", null));
    expect(readAll).toHaveBeenCalledTimes(1);
    load(row("a", null), row("b", "a"));
    expect(readAll).toHaveBeenCalledTimes(2);
    // What was found cut off is found so each time.
    readAll.mockReturnValue([header, row("b", "a"), row("a", null)]);
    for (let time = 0; time < 2; time++) expect(load(row("b", null)).entries).toHaveLength(3);
    expect(readAll.mock.calls.length).toBeGreaterThan(4);
  });

  it.each([
    ["with parents", true],
    ["without, as before OpenClaw 2026.9.3", false],
  ])("whose path has a parent that is not stored are read whole, however long it is: %s", (_name, withParents) => {
    // All rows had one id when a turn was made on them: what it stored behind them names an id that was made on load.
    const all = [
      header,
      ...["first", "second", "third"].map((text) => row("00000000", null, { role: "user", content: text })),
    ];
    const { entries: chained } = loadTranscript({
      entries: all,
      bounded: bounded([]),
      sessionId: "s",
      readAll: () => all,
    });
    const last = (chained[3] as { id: string }).id;
    const tree = [all[3] as ReturnType<typeof row>, row("e", last), row("f", "e"), row("g", "f"), row("h", "g")];
    // OpenClaw's index names the rows by names of its own, and takes each for the parent of the next.
    const parents = new Map(
      tree.map(({ id }, at) => [at === 0 ? "s-3" : id, at === 0 ? null : at === 1 ? "s-3" : tree[at - 1]!.id]),
    );
    const next: BoundedContext = {
      ...bounded(tree),
      opaqueParents: new Map([[last, "00000000"]]),
      ...(withParents && { parents }),
    };
    if (!withParents) delete next.parents;
    const readAll = (): unknown[] => [...all, ...tree.slice(1)];
    const loaded = loadTranscript({ entries: [header, ...tree], bounded: next, sessionId: "s-broken", readAll });
    expect(loaded.entries).toEqual([...chained, ...tree.slice(1)]);
  });

  it("whose path has a row in the place of a parent are read again only where that could be a lost row", () => {
    const tree = [row("a", null), row("c", "b"), row("d", "c"), row("e", "d")];
    const all = [header, tree[0], row("b", "a"), ...tree.slice(1)];
    const readAll = vi.fn(() => all);
    const selected = { ...bounded(tree), opaqueParents: new Map([["b", "a"]]) };
    selected.parents!.set("b", "a");
    const loaded = { entries: [header, ...tree], bounded: selected, sessionId: "s-opaque", readAll };
    expect(loadTranscript(loaded)).toBe(loaded);
    expect(readAll).not.toHaveBeenCalled();
    const { parents: _unknown, ...early } = selected;
    for (const more of [[], [row("f", "e")], [row("f", "e"), row("g", "f")]]) {
      const grown = { ...loaded, entries: [...loaded.entries, ...more], bounded: early };
      expect(loadTranscript(grown)).toBe(grown);
    }
    expect(readAll).toHaveBeenCalledOnce();
  });

  it("without ids are read whole and chained, under the same ids every time", () => {
    const all = [
      { ...header, version: 1 },
      ...["a", "b", "c"].map((text) => ({ type: "message", message: { role: "user", content: text } })),
    ];
    const load = () =>
      loadTranscript({ entries: all.slice(0, 2), bounded: bounded([]), sessionId: "s", readAll: () => all });
    const { entries, bounded: next } = load();
    expect(entries).toHaveLength(4);
    expect(next!.activeLeafEntryId).toBe((entries[3] as { id: string }).id);
    expect([...next!.parents!.values()]).toEqual([
      null,
      (entries[1] as { id: string }).id,
      (entries[2] as { id: string }).id,
    ]);
    expect(load().entries).toEqual(entries);
  });
});

describe("an index that is out of date", () => {
  const stale = Object.assign(new Error("rebuilding"), { name: "SessionTranscriptProjectionUnavailableError" });

  it("is rebuilt once and read again", async () => {
    const rebuild = vi.fn();
    const read = vi.fn().mockRejectedValueOnce(stale).mockRejectedValueOnce(stale).mockResolvedValue("rows");
    await expect(whenIndexed(read as () => Promise<unknown>, undefined, rebuild)()).resolves.toBe("rows");
    expect(rebuild).toHaveBeenCalledOnce();
  });

  it("is waited for where OpenClaw's own read starts its rebuild and fails", async () => {
    const read = vi
      .fn()
      .mockImplementationOnce(() => {
        throw stale;
      })
      .mockReturnValueOnce("rows");
    await whenReadable(read);
    expect(read).toHaveBeenCalledTimes(2);
    const other = vi.fn().mockImplementation(() => {
      throw new Error("disk");
    });
    // OpenClaw's own read says so a moment later.
    await expect(whenReadable(other)).resolves.toBeUndefined();
    expect(other).toHaveBeenCalledOnce();
  });

  it("does not hide other errors, nor outlive the run", async () => {
    const other = vi.fn().mockRejectedValue(new Error("disk"));
    await expect(whenIndexed(other as () => Promise<unknown>, undefined, () => {})()).rejects.toThrow("disk");
    const aborted = vi.fn().mockRejectedValue(stale);
    await expect(whenIndexed(aborted as () => Promise<unknown>, AbortSignal.abort(), () => {})()).rejects.toBe(stale);
  });
});
