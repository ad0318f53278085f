import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { anyHistory } from "../../../harness/arbitrary/history.ts";
import { corpusTranscripts, departuresIn, entriesIn, State } from "../../../test/doctor/state.ts";
import { assistant, result, says, user } from "../../../harness/openclaw/samples.ts";
import { toTranscript, type StoredMessage } from "../../../harness/openclaw/transcript.ts";
import { repairStored, VIOLATION_WORDS } from "../../health/index.ts";
import { contentHash, journalFile, openJournal } from "../../journal/index.ts";
import { parseRows } from "../../store/catalog/parse-rows.ts";
import { fileStore } from "../../store/sessions/file-store.ts";
import { findSummary, findSummaryOrFile, openCatalog, rollBackTo, type SessionSummary } from "../../store/index.ts";
import { drawSession } from "./draw-session.ts";
import type { Drawing } from "./drawing.ts";
import { drawCallLines } from "./call-lines.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 60);
const SESSION = { sessionId: "s" } as SessionSummary;
const ALL = { checkpoints: [], withWords: false, limit: Number.POSITIVE_INFINITY };
const call = (...ids: string[]): StoredMessage => ({
  ...assistant({}, "toolUse"),
  content: ids.map((id) => ({ type: "toolCall", id, name: "exec", arguments: {} })),
});

const drawn = (transcript: string, options = ALL): Drawing => drawSession(parseRows(transcript), SESSION, options);
/** `12 a tool result without a call`: the numbers of messages, with what is said of each. */
const faultsIn = ({ line }: Drawing): string[] =>
  entriesIn(line).flatMap(({ number, faults, parts }) =>
    [...faults, ...parts.flatMap((part) => part.faults)].map((fault) => `${number} ${fault}`),
  );

describe("a fault is drawn at the very message it concerns", () => {
  it.each(corpusTranscripts())("%s: every fault once, and none where there is none", (_, transcript) => {
    const drawing = drawn(transcript);
    const { violations } = drawing.examination;
    const numbers = faultsIn(drawing).map((fault) => Number.parseInt(fault, 10));
    expect(numbers.toSorted((one, other) => one - other)).toEqual(
      violations.map(({ messageIndex }) => messageIndex + 1).toSorted((one, other) => one - other),
    );
  });

  it("and at the block: whatever the history is, a fault with an id stands at a block with this id", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const rows = history.map((message, at) => ({
          type: "message",
          id: `e${at}`,
          parentId: at === 0 ? null : `e${at - 1}`,
          message,
        }));
        const drawing = drawSession(
          { rows: [{ type: "session", version: 3, id: "s" }, ...rows], unreadable: 0, torn: 0 },
          SESSION,
          ALL,
        );
        expect(faultsIn(drawing)).toHaveLength(drawing.examination.violations.length);
        const entries = new Map(entriesIn(drawing.line).map((entry) => [entry.number, entry]));
        for (const { kind, id, messageIndex } of drawing.examination.violations.filter((fault) => fault.id !== "")) {
          const blocks = entries.get(messageIndex + 1)!.parts.filter(({ callId }) => callId === id);
          if (blocks.length > 0) expect(blocks.flatMap(({ faults }) => faults)).toContain(VIOLATION_WORDS[kind]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("of several calls in a message the one without a result, and a result with the call it answers, also before it", () => {
    const drawing = drawn(
      toTranscript([
        user("go"),
        call("toolu_1", "toolu_2"),
        result("toolu_1", "done"),
        result("toolu_3", "early"),
        user("and?"),
        call("toolu_3"),
        says("yes"),
      ]),
    );
    const [, made, first, early, , late] = entriesIn(drawing.line);
    expect(made!.parts.map(({ faults }) => faults.length)).toEqual([0, 1]);
    expect(made!.parts.map(({ link }) => link)).toEqual([
      { label: "2a", call: 2, results: [3] },
      { label: "2b", call: 2, results: [] },
    ]);
    expect(first!.parts[0]!.link).toEqual({ label: "2a", call: 2, results: [3] });
    expect(early!.parts[0]).toMatchObject({
      link: { label: "6a", call: 6, results: [4] },
      faults: ["a tool result that does not follow its call"],
    });
    expect(late!.parts[0]!.link).toEqual(early!.parts[0]!.link);
    const lanes = drawCallLines(drawing.line);
    expect(lanes.map((beside) => beside.map((lane) => lane && `${lane.line} ${lane.touches}`))).toEqual([
      [],
      ["from call"],
      ["to result"],
      ["from result"],
      ["through nothing"],
      ["to call"],
      [],
    ]);
  });

  it("a line to a call that is drawn together with others begins at that run", () => {
    const turns = Array.from({ length: 20 }, (_, nth) => [
      user("go"),
      call(`toolu_${nth}`),
      result(`toolu_${nth}`, "done"),
    ]).flat();
    const { line } = drawn(toTranscript([...turns, result("toolu_lost", "of nothing"), user("and?")]));
    expect(line.map(({ kind }) => kind)).toEqual(["entry", "collapsed", "entry", "entry", "entry"]);
    expect(drawCallLines(line)).toMatchObject([
      [],
      [{ line: "from", touches: "call" }],
      [{ line: "to", touches: "result" }],
      [],
      [],
    ]);
  });

  it("rows that fell off the path say so at the row, and entries without ids do not mark every row", () => {
    const [header, one, two, ...rest] = toTranscript(
      Array.from({ length: 40 }, (_, at) => (at % 2 ? says("yes") : user("go"))),
    )
      .trim()
      .split("\n") as [string, string, string, ...string[]];
    const lost = entriesIn(drawn([header, one, two, ...rest.slice(1)].join("\n")).line).filter(
      ({ rowFaults }) => rowFaults.length > 0,
    );
    expect(lost.map(({ number, rowFaults }) => [number, rowFaults])).toEqual([
      [3, [expect.stringContaining("an entry whose parent is missing")]],
    ]);
    const old = toTranscript(
      Array.from({ length: 40 }, (_, at) => (at % 2 ? says("yes") : user("go"))),
      { header: 1 },
    );
    expect(entriesIn(drawn(old).line).filter(({ rowFaults }) => rowFaults.length > 0)).toEqual([]);
    const flat = drawn([header, ...old.split("\n").slice(1)].join("\n"));
    expect(flat.examination.entries).toContain("missing_entry_id");
    expect(entriesIn(flat.line).filter(({ rowFaults }) => rowFaults.length > 0)).toHaveLength(10);
  });
});

describe("paths that were left", () => {
  const faulty = corpusTranscripts().filter(([, transcript]) => drawn(transcript).examination.violations.length > 0);

  test.each(faulty)("a repair of %s shows what it left, with its faults", async (id, transcript) => {
    const state = new State();
    const file = state.put(id, transcript);
    const catalog = openCatalog(state.directory);
    const session = findSummary(catalog, id);
    const before = drawSession(catalog.read(session), session, ALL);
    const { action, after } = await repairStored(catalog, session, { stateDirectory: state.directory, root: () => "" });
    const drawing = drawSession(catalog.read(findSummaryOrFile(catalog, file)), session, ALL);
    catalog.close();
    if (action !== "repaired") return;
    expect(faultsIn(drawing)).toHaveLength(after!.violations.length);
    const known = new Set(departuresIn(before).map(({ tipId }) => tipId));
    const left = departuresIn(drawing).filter(({ tipId }) => !known.has(tipId));
    // Faults of rows are corrected in place, so that no path has them any more.
    if (left.length > 0)
      expect(left.reduce((sum, { faults = 0 }) => sum + faults, 0)).toBe(before.examination.violations.length);
  });

  test("a rollback says which checkpoint it went back to, and where the conversation goes on; checkpoints lie where they were made", async () => {
    const state = new State();
    const messages = [
      user("one"),
      says("two"),
      user("three"),
      call("toolu_1"),
      result("toolu_1", "four"),
      says("five"),
    ];
    state.put("s", toTranscript(messages));
    state.index({ "agent:main:main": "s" });
    const rows = parseRows(toTranscript(messages)).rows as { id: string; message: unknown }[];
    const journal = openJournal(journalFile(state.directory));
    const checkpoint = journal.checkpoints.create({
      sessionId: "s",
      operation: "api_call",
      messageIndex: 2,
      firstEntryId: rows[1]!.id,
      leafEntryId: rows[2]!.id,
      contentHash: contentHash([rows[1]!.message, rows[2]!.message]),
    });
    const { kept } = await rollBackTo(fileStore(state.directory), journal, checkpoint.id);
    journal.checkpoints.create({ ...checkpoint, leafEntryId: "no longer there" });
    journal.close();
    const { sessions } = await state.check();
    const { line, lost, departures, notes } = sessions[0]!.drawing!;
    expect(
      entriesIn(line).map(({ number, checkpoints, isLeaf }) => [number, checkpoints.map(({ id }) => id), isLeaf]),
    ).toEqual([
      [1, [], false],
      [2, [checkpoint.id], false],
      [undefined, [], true],
    ]);
    const [left] = entriesIn(line)[1]!.departures;
    expect(left).toMatchObject({ cause: "rollback", checkpointId: checkpoint.id, messages: 4, faults: 0 });
    expect(
      entriesIn(left!.items)
        .at(-1)!
        .checkpoints.map(({ id }) => id),
    ).toEqual([kept]);
    expect(departures).toBe(1);
    expect(notes).toMatchObject([{ kind: "rollback", checkpointId: checkpoint.id }]);
    expect(lost).toHaveLength(1);
  });

  test("an edit is no repair, and a path that leaves before the first message is there", () => {
    const rows = parseRows(toTranscript([user("one"), says("two"), user("three"), says("four")])).rows as {
      id: string;
    }[];
    const more = [
      {
        type: "message",
        id: "edited",
        parentId: rows[2]!.id,
        timestamp: "2026-03-01T00:00:00.000Z",
        message: { ...user("three, better"), timestamp: 1 },
      },
      {
        type: "message",
        id: "begun",
        parentId: null,
        timestamp: "2026-03-02T00:00:00.000Z",
        message: { ...user("anew"), timestamp: 2 },
      },
    ];
    const lines = (...of: unknown[]): string => of.map((row) => JSON.stringify(row)).join("\n");
    const edited = drawn(lines(...rows, more[0]));
    expect(departuresIn(edited)).toMatchObject([{ cause: "elsewhere", messages: 2 }]);
    const anew = drawn(lines(...rows, ...more));
    expect(anew.before).toMatchObject([{ cause: "elsewhere" }]);
    // The line of a path that was left goes where it was written to last.
    expect(anew.before[0]).toMatchObject({ tipId: "edited", messages: 3 });
    expect(departuresIn(anew)).toHaveLength(2);
  });

  test("hundreds of them, nested or not, are counted and not all drawn; a deep transcript needs no deep stack", () => {
    const [header, first] = toTranscript([user("one")])
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string });
    const wide = [
      header,
      first,
      ...Array.from({ length: 500 }, (_, at) => ({ ...first, id: `w${at}`, parentId: first!.id })),
    ];
    const drawing = drawSession({ rows: wide, unreadable: 0, torn: 0 }, SESSION, ALL);
    expect([drawing.departures, drawing.departuresDrawn]).toEqual([499, 20]);
    // Each entry has two behind it, of which the second goes on.
    const nested = [
      header,
      ...Array.from({ length: 3000 }, (_, at) => ({
        ...first,
        id: `n${at}`,
        parentId: at < 2 ? null : `n${at - (at % 2) - 1}`,
      })),
    ];
    expect(drawSession({ rows: nested, unreadable: 0, torn: 0 }, SESSION, ALL).departuresDrawn).toBe(20);
    const deep = [
      header,
      ...Array.from({ length: 20_000 }, (_, at) => ({
        ...first,
        id: `d${at}`,
        parentId: at === 0 ? null : `d${at - 1}`,
      })),
    ];
    expect(
      drawSession({ rows: deep, unreadable: 0, torn: 0 }, SESSION, { ...ALL, limit: 100 }).line.length,
    ).toBeLessThan(105);
  });
});

test("nothing that can be in a row makes it throw", () => {
  const leaf = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(
      "message",
      "custom_message",
      "openclaw-integrity",
      "toolResult",
      "assistant",
      "compaction",
      "reset",
      "branch_summary",
      "leaf",
      9e99,
      -1,
      "9999-99-99",
    ),
  );
  const message = fc.dictionary(
    fc.constantFrom("role", "content", "timestamp", "stopReason", "toolCallId", "isError"),
    fc.oneof(
      leaf,
      fc.array(fc.dictionary(fc.constantFrom("type", "id", "name", "text", "arguments", "toolUse"), leaf)),
    ),
  );
  const row = fc.oneof(
    leaf,
    fc.dictionary(
      fc.constantFrom(
        "type",
        "id",
        "parentId",
        "timestamp",
        "customType",
        "details",
        "data",
        "targetId",
        "firstKeptEntryId",
        "appendMode",
      ),
      leaf,
    ),
    fc.record({
      type: fc.constant("message"),
      id: fc.constantFrom("a", "b", "c"),
      parentId: fc.constantFrom("a", "b", null, "x"),
      message,
    }),
  );
  fc.assert(
    fc.property(
      fc.array(row),
      (rows) => void drawSession({ rows, unreadable: 0, torn: 0 }, SESSION, { ...ALL, withWords: true, limit: 5 }),
    ),
    { numRuns: RUNS },
  );
});
