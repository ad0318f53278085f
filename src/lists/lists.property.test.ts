import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepArray } from "../../harness/arbitrary/hostile-values.ts";
import { VALID, listWords } from "../../harness/lists/faults.ts";
import { RENDER } from "../../harness/lists/forms.ts";
import type { FormName } from "./forms.ts";
import { repair, validate } from "./index.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 100);
const FORM_NAMES = Object.keys(RENDER) as FormName[];

type Row = Record<string, unknown>;
type Edit = (list: Row[], at: number, to: number) => Row[];

/** What a program, a limit or a kill does to stored rows. */
const EDITS: Readonly<Record<string, Edit>> = {
  drop: (list, at) => list.toSpliced(at, 1),
  cut: (list, at) => list.slice(0, Math.max(at, 2)),
  "cut the head": (list, at) => list.slice(Math.min(at, list.length - 2)),
  repeat: (list, at) => list.toSpliced(at, 0, structuredClone(list[at]!)),
  move: (list, at, to) => list.toSpliced(at, 1).toSpliced(to, 0, list[at]!),
  "a row of another kind": (list, at) => list.toSpliced(at, 0, { role: "session_meta", tools: [] }),
  "another id": (list, at, to) => withText(list, at, /"c[123]"/, JSON.stringify(["c1", "c9", "", "é", 7][to % 5])),
  "cut arguments": (list, at) => withText(list, at, /\{"(?:invoice|path)":[^}]*\}/, '"{\\"path"'),
  "no text": (list, at) => withText(list, at, /"paid ref AX71"|"file CQ93.txt"/, "null"),
};

function withText(list: Row[], at: number, pattern: RegExp, text: string): Row[] {
  return list.toSpliced(at, 1, JSON.parse(JSON.stringify(list[at]).replace(pattern, () => text)) as Row);
}

const edits = fc.array(fc.tuple(fc.constantFrom(...Object.keys(EDITS)), fc.nat(), fc.nat()), { maxLength: 5 });

describe.each(FORM_NAMES)("any list of the form %s", (form) => {
  it("is valid behind its repair, idempotent, deterministic, and no word of it is missing", () => {
    fc.assert(
      fc.property(edits, (chosen) => {
        const first = RENDER[form](VALID);
        const given = chosen.reduce(
          (list, [edit, at, to]) => (list.length < 3 ? list : EDITS[edit]!(list, at % list.length, to % list.length)),
          first,
        );
        // Too little may be left to tell the form.
        if (!tells(given)) return;
        const before = JSON.stringify(given);
        const { messages, repaired } = repair(given);
        expect(validate(messages)).toEqual([]);
        expect(repair(messages).messages).toBe(messages);
        expect(repaired).toBe(validate(given).length > 0);
        expect(messages === given).toBe(!repaired);
        expect(JSON.stringify(given)).toBe(before);
        expect(JSON.stringify(repair(structuredClone(given)).messages)).toBe(JSON.stringify(messages));
        const said = JSON.stringify(messages);
        for (const word of listWords(VALID)) if (before.includes(word)) expect(said).toContain(word);
        expect(said.split("session_meta").length).toBe(before.split("session_meta").length);
      }),
      { numRuns: RUNS },
    );
  });

  it("tells assistant messages that are stored several times once", () => {
    // The calls of a UIMessage have their results in it, and Gemini's are known by their place alone.
    if (form === "gemini") return;
    const times = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: VALID.length, maxLength: VALID.length });
    fc.assert(
      fc.property(times, fc.nat(VALID.length), (chosen, end) => {
        const steps = VALID.slice(0, Math.max(end, 2));
        const stored = steps.flatMap((step, at) =>
          step.kind === "assistant" && step.calls.length > 0 ? Array.from({ length: chosen[at]! }, () => step) : step,
        );
        const calls = (list: readonly unknown[]): number =>
          JSON.stringify(list).split(/"(?:invoice|path)\\?":|No result of this/).length;
        expect(calls(repair(RENDER[form](stored)).messages)).toBe(calls(repair(RENDER[form](steps)).messages));
      }),
      { numRuns: RUNS },
    );
  });

  it("may hold values that throw, contain themselves or nest without end", () => {
    const itself: Row = {};
    itself["again"] = itself;
    const throwing = {
      get bad(): never {
        throw new Error("no");
      },
    };
    for (const value of [itself, throwing, deepArray(5000), 12n, Symbol.iterator, new Date(0)]) {
      const valid = RENDER[form](VALID);
      for (let at = 0; at < valid.length; at++) {
        for (const field of Object.keys(valid[at]!)) {
          const given: unknown[] = valid.toSpliced(at, 1, { ...valid[at], [field]: value });
          const { messages } = repair(given);
          expect(validate(messages), `${field} of ${at}`).toEqual([]);
          expect(repair(messages).messages, `${field} of ${at}`).toBe(messages);
        }
      }
    }
  });
});

function tells(list: readonly unknown[]): boolean {
  try {
    validate(list);
    return true;
  } catch {
    return false;
  }
}
