import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Draw } from "../../../harness/arbitrary/draw.ts";
import { anyHistory, healthyFrom, historyFrom } from "../../../harness/arbitrary/history.ts";
import type { Repair } from "../../transcript/repair.ts";
import { prepare } from "../../wire/prepare.ts";
import { RepairMemo } from "./repair-memo.ts";

const APIS = ["anthropic-messages", "openai-responses", "google-generative-ai"];
const RUNS = Number(process.env.PROPERTY_RUNS ?? 500);

interface Outcome {
  readonly messages: unknown[];
  readonly repairs: Repair[];
}

function prepareOutcome(api: string, messages: unknown[], history?: RepairMemo): Outcome {
  const repairs: Repair[] = [];
  const onRepairs = (some: Repair[]): void => void repairs.push(...some);
  return {
    messages: history ? history.prepare(api, messages, { onRepairs }) : prepare(api, messages, { onRepairs }),
    repairs,
  };
}

/** Ids as another program gives them: some are used before, some are the same but for what sanitisers take away. */
function renamed(messages: unknown[], draw: Draw): unknown[] {
  const json = JSON.stringify(messages);
  const from = `toolu_00000${draw.next(9)}`;
  return JSON.parse(
    json.replaceAll(from, draw.pick(["toolu000001", "call_1|fc_1", "toolu_000002", "call-1", ""])),
  ) as unknown[];
}

const numbers = fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 40 });
const corrupt = fc
  .tuple(numbers, fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(100), { minLength: 0, maxLength: 3 }))
  .map(([list, turns, kinds]) => historyFrom(list, turns, kinds).messages);

describe("a session whose history is repaired at each load", () => {
  const user = { role: "user", content: "hi" };
  const called = (id: string): unknown[] => [
    { role: "assistant", content: [{ type: "toolCall", id, name: "exec", arguments: {} }] },
    { role: "toolResult", toolCallId: id, toolName: "exec", content: [{ type: "text", text: "ok" }], isError: false },
  ];
  it.each([
    ["an id without letters", [user, called("gone")[1], ...called("---")], "---"],
    [
      "a call that is the content itself",
      [
        user,
        {
          role: "assistant",
          stopReason: "aborted",
          content: { type: "toolCall", id: "a", name: "exec", arguments: {} },
        },
      ],
      "a",
    ],
    [
      "a result that is the content itself",
      [user, { role: "user", content: { type: "tool_result", tool_use_id: "a", content: "early words" } }],
      "a",
    ],
  ])("pairs what was added with %s", (_what, stored, id) => {
    const history = new RepairMemo();
    prepareOutcome(APIS[0]!, stored, history);
    const grown = [...stored, user, ...called(id)];
    expect(prepareOutcome(APIS[0]!, grown, history)).toEqual(prepareOutcome(APIS[0]!, grown));
  });

  it("is repaired as if it had been loaded for the first time, whatever was added or changed in between", () => {
    let known = 0;
    let loads = 0;
    const later = fc.tuple(
      fc.oneof(
        corrupt,
        fc.nat(1000).map((seed) => healthyFrom(seed, 1 + (seed % 3))),
      ),
      numbers,
    );
    fc.assert(
      fc.property(
        fc.oneof(corrupt, anyHistory),
        fc.array(later, { minLength: 1, maxLength: 4 }),
        fc.nat(2),
        (first, added, which) => {
          const repaired = new RepairMemo();
          let api = APIS[which]!;
          let stored = first as unknown[];
          prepareOutcome(api, structuredClone(stored), repaired);
          for (const [messages, list] of added) {
            const draw = new Draw(list);
            if (draw.next(2)) stored = [...stored, ...(draw.next(3) === 0 ? renamed(messages, draw) : messages)];
            if (draw.next(6) === 0) stored = stored.toSpliced(draw.next(stored.length), 1);
            if (draw.next(6) === 0) api = draw.pick(APIS);
            const loaded = structuredClone(stored);
            const before = JSON.stringify(loaded);
            const actual = prepareOutcome(api, loaded, repaired);
            const expected = prepareOutcome(api, structuredClone(stored));
            expect(actual.repairs).toEqual(expected.repairs);
            expect(JSON.stringify(actual.messages)).toBe(JSON.stringify(expected.messages));
            expect(JSON.stringify(loaded)).toBe(before);
            loads++;
            // A message that the repair has left alone is the one that was loaded.
            if (actual.repairs.length > 0 && actual.messages.some((message) => loaded.includes(message))) known++;
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(known / loads).toBeGreaterThan(0.3);
  });

  it("is repaired anew for another API", () => {
    const thought = { type: "thinking", thinking: "so", thinkingSignature: "nonsense" };
    const said = { role: "assistant", api: "openai-responses", content: [thought], stopReason: "stop" };
    const orphan = { role: "toolResult", toolCallId: "gone", toolName: "exec", content: [], isError: false };
    const history = [{ role: "user", content: "hello" }, orphan, said];
    const repaired = new RepairMemo();
    for (const api of APIS) expect(prepareOutcome(api, history, repaired)).toEqual(prepareOutcome(api, history));
  });

  it("is not walked a second time while only a healthy turn is added", () => {
    let reads = 0;
    const orphan = { role: "toolResult", toolCallId: "gone", toolName: "exec", content: [], isError: false };
    const loaded = (turns: number): unknown[] => {
      const said = [{ role: "user", content: "hello" }, orphan, ...healthyFrom(7, 20)];
      for (let turn = 0; turn < turns; turn++)
        said.push({ role: "user", content: "more" }, { role: "assistant", content: [{ type: "text", text: "yes" }] });
      // Only who walks through a message reads a field that no rule names; JSON.stringify reads it once.
      return said.map((message) =>
        Object.defineProperty({ ...(message as object) }, "extra", { enumerable: true, get: () => (reads++, 1) }),
      );
    };
    const repaired = new RepairMemo();
    const first = prepareOutcome(APIS[0]!, loaded(0), repaired);
    for (const turns of [0, 1, 2]) {
      const messages = loaded(turns);
      const length = messages.length;
      reads = 0;
      const outcome = prepareOutcome(APIS[0]!, messages, repaired);
      expect(outcome.repairs).toEqual(first.repairs);
      expect(outcome.messages).toHaveLength(length - 1);
      expect(reads).toBe(length);
    }
  });

  it.each([
    ["a short history", 3, 10, true],
    ["ids of any length", 3, 1_000_000, false],
    ["any number of orphans", 20_000, 10, false],
  ])("is remembered as long as that takes little memory: %s", (_what, orphans, idLength, isRemembered) => {
    let reads = 0;
    const loaded = (): unknown[] => [
      // Only who writes a message as JSON reads this.
      Object.defineProperty({ ...user }, "toJSON", { get: () => void reads++ }),
      ...Array.from({ length: orphans }, (_, at) => called(`${at}`.padEnd(idLength, "x"))[1]),
    ];
    const repaired = new RepairMemo();
    prepareOutcome(APIS[0]!, loaded(), repaired);
    reads = 0;
    expect(prepareOutcome(APIS[0]!, loaded(), repaired).messages).toEqual([user]);
    expect(reads > 0).toBe(isRemembered);
  });

  it("puts the results of a background call where the first load puts them", () => {
    const stored = [user, called("")[1]];
    const [background, other] = [called("a"), called("b")].map(
      ([message]) => (message as { content: object[] }).content[0],
    );
    const calls = { role: "assistant", content: [{ ...background, async: true }, other] };
    const grown = [...stored, calls, called("a")[1], called("b")[1]];
    const history = new RepairMemo();
    prepareOutcome(APIS[0]!, stored, history);
    expect(prepareOutcome(APIS[0]!, grown, history)).toEqual(prepareOutcome(APIS[0]!, grown));
  });
});
