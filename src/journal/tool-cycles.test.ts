import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Journal, openJournal } from "./journal.ts";

let clock: number;
let journal: Journal;
beforeEach(() => {
  clock = 1000;
  journal = openJournal(":memory:", { now: () => clock });
});
afterEach(() => journal.close());

const RESULT = { content: [], isError: false };
const asked = (sessionId: string, ...calls: [callId: string, toolName: string][]): number[] =>
  journal.cycles.pending(calls.map(([callId, toolName]) => ({ sessionId, callId, toolName, inputHash: "" })));
const started = (id: number, at: number): void => {
  clock = at;
  journal.cycles.start(id);
};
const ended = (id: number, at: number): void => {
  clock = at;
  journal.cycles.record(id, RESULT);
};
const since = (at: number, limit = 10): unknown => {
  const found = journal.cycles.since({ callId: "b", toolName: "begin", at }, { except: ["own"], limit });
  return found && [found.cycles.map(({ callId }) => callId), found.total];
};

describe("the calls since one that was under way at a time", () => {
  it("are those of its session that came later, without those of the tools that are left out", () => {
    const [begin] = asked("s", ["b", "begin"]) as [number];
    started(begin, 1001);
    asked("other", ["x", "exec"]);
    asked("s", ["o", "own"], ["c", "exec"], ["d", "exec"]);
    expect(since(1002)).toEqual([["c", "d"], 2]);
    expect(since(1002, 1)).toEqual([["c"], 2]);
  });

  it("and those before it in its answer that were still under way: parallel calls act at the same time", () => {
    const [old] = asked("s", ["old", "exec"]) as [number];
    started(old, 1001); // cut off by an earlier kill
    clock = 1100;
    const [over, parallel, waiting, begin] = asked(
      "s",
      ["over", "exec"],
      ["parallel", "exec"],
      ["waiting", "exec"],
      ["b", "begin"],
    ) as [number, number, number, number];
    started(over, 1101);
    ended(over, 1102);
    started(parallel, 1103);
    started(begin, 1103);
    expect(since(1105)).toEqual([["parallel"], 1]);
    started(waiting, 1106);
    ended(parallel, 1107);
    expect(since(1105)).toEqual([["parallel", "waiting"], 2]);
  });

  it("of the right one of several with one id, by the time; and none of a call that was not under way then", () => {
    const [first] = asked("s1", ["b", "begin"]) as [number];
    started(first, 1001);
    ended(first, 1005);
    asked("s1", ["after first", "exec"]);
    clock = 2000;
    const [cut] = asked("s2", ["b", "begin"]) as [number];
    started(cut, 2001); // and never ends
    asked("s2", ["after cut", "exec"]);
    clock = 3000;
    asked("s3", ["b", "begin"]);
    asked("s3", ["after last", "exec"]);
    expect([1003, 2003, 3003].map((at) => since(at))).toEqual([
      [["after first"], 1],
      [["after cut"], 1],
      [["after last"], 1],
    ]);
    expect([999, 1500].map((at) => since(at))).toEqual([undefined, undefined]);
    expect(journal.cycles.since({ callId: "b", toolName: "exec", at: 1003 }, { except: [], limit: 1 })).toBeUndefined();
  });
});
