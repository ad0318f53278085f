import { describe, expect, it } from "vitest";
import type { EventRow } from "../../src/continuity/index.ts";
import { type Finding, RULES, type Rule } from "./finding.ts";
import { checkChain } from "./ledger-chain.ts";
import { hashText, makeLedger, type Told, underToken } from "./make-ledger.ts";
import { checkSteps } from "./ledger-steps.ts";
import type { Note } from "./notes.ts";
import { checkWitness } from "./witness.ts";

const [A, B] = [
  { step_id: "a", attempt_id: 1 },
  { step_id: "a", attempt_id: 2 },
];
const RESULT = "r".repeat(64);

/**
 * One worker is cut off in the middle of step "a", another takes over and completes it; then a third one fails and
 * completes "b".
 */
const STORY: readonly Told[] = [
  underToken("lease_acquired", 1),
  underToken("step_started", 1, A),
  underToken("lease_acquired", 2),
  underToken("step_started", 2, B),
  underToken("step_completed", 2, { ...B, result_checksum: RESULT }),
  { type: "checkpoint_updated", data: { next_step: "go on" } },
  underToken("lease_released", 2),
  underToken("lease_acquired", 3),
  underToken("step_started", 3, { step_id: "b", attempt_id: 1 }),
  underToken("step_failed", 3, { step_id: "b", attempt_id: 1 }),
  underToken("step_started", 3, { step_id: "b", attempt_id: 2 }),
  underToken("step_completed", 3, { step_id: "b", attempt_id: 2, result_checksum: RESULT }),
];
const p = { project_id: "p" } as const;
const NOTES: readonly Note[] = [
  { ...p, kind: "leased", token: 1, at: 1 },
  { ...p, kind: "executed", ...A, token: 1, at: 2 },
  { ...p, kind: "leased", token: 2, at: 3 },
  { ...p, kind: "executed", ...B, token: 2, at: 4 },
  { ...p, kind: "effect", key: "k", step_id: "a", answer: RESULT, at: 5 },
  { ...p, kind: "acknowledged", ...B, token: 2, result: RESULT, at: 6 },
  { ...p, kind: "checkpoint", seq: 6, next_step: "go on", at: 7 },
  { ...p, kind: "repeated", step_id: "a", result: RESULT, at: 8 },
  { ...p, kind: "refused", code: "fenced", at: 9 },
];

/** The story with an event put in behind that many, or with the event there replaced or taken out. */
function storyWith(at: number, event: Told, remove = 0): EventRow[] {
  return makeLedger(STORY.toSpliced(at, remove, event));
}

function listRules(findings: readonly Finding[]): Rule[] {
  return [...new Set(findings.map(({ rule }) => rule))].toSorted();
}

it("finds nothing in a story of take-overs, failures and repetitions in which everything was kept", () => {
  const rows = makeLedger(STORY);
  expect([...checkChain("p", rows), ...checkSteps("p", rows), ...checkWitness("p", rows, NOTES)]).toEqual([]);
});

/** Each way to break a ledger's rows, and every rule that shows it. */
const BROKEN_ROWS: readonly (readonly [string, Rule[], (rows: EventRow[]) => EventRow[]])[] = [
  ["an event is gone", ["chain", "position"], (rows) => rows.toSpliced(4, 1)],
  ["the first event is gone", ["chain", "position"], (rows) => rows.slice(1)],
  ["an event is there twice", ["chain", "position"], (rows) => rows.toSpliced(4, 0, rows[4]!)],
  [
    "a payload was changed",
    ["checksum"],
    (rows) => rows.with(5, { ...rows[5]!, payload: rows[5]!.payload.replace("go on", "go off") }),
  ],
  [
    "a payload and its checksum were changed",
    ["chain"],
    (rows) => {
      const payload = rows[5]!.payload.replace("go on", "go off");
      return rows.with(5, { ...rows[5]!, payload, checksum: hashText(payload) });
    },
  ],
  ["a column was changed", ["columns"], (rows) => rows.with(5, { ...rows[5]!, timestamp: "2026-11-22T13:00:00.000Z" })],
];

describe("the rows of a ledger", () => {
  it.each(BROKEN_ROWS)("%s: %j", (_, rules, broken) =>
    expect(listRules(checkChain("p", broken(makeLedger(STORY))))).toEqual(rules),
  );
});

const BROKEN_STEPS: readonly (readonly [string, Rule[], EventRow[]])[] = [
  ["a token is given again", ["token-grows"], storyWith(7, underToken("lease_acquired", 2), 5)],
  ["a token is passed over", ["token-grows"], storyWith(7, underToken("lease_acquired", 4), 5)],
  [
    "a fenced owner completes its attempt",
    ["end-has-start", "token-current"],
    storyWith(4, underToken("step_completed", 1, A), 8),
  ],
  [
    "a fenced owner starts a step",
    ["token-current"],
    storyWith(5, underToken("step_started", 1, { step_id: "c", attempt_id: 1 })),
  ],
  ["a fenced owner gives the lease back", ["token-current"], storyWith(5, underToken("lease_released", 1), 7)],
  [
    "a step starts after the lease was given back",
    ["token-current"],
    storyWith(7, underToken("step_started", 2, { step_id: "c", attempt_id: 1 }), 5),
  ],
  [
    "another owner uses the token",
    ["token-current"],
    storyWith(
      8,
      { type: "step_started", data: { owner_id: "thief", fencing_token: 3, step_id: "c", attempt_id: 1 } },
      4,
    ),
  ],
  [
    "two attempts are open under one token",
    ["one-open-attempt"],
    storyWith(4, underToken("step_started", 2, { step_id: "a", attempt_id: 3 }), 8),
  ],
  ["an attempt's number is given again", ["attempt-grows"], storyWith(3, underToken("step_started", 2, A), 9)],
  [
    "a step is completed that was not started",
    ["end-has-start"],
    storyWith(8, underToken("step_completed", 3, { step_id: "c", attempt_id: 1 })),
  ],
  [
    "an attempt of the lease before is completed",
    ["end-has-start"],
    storyWith(3, underToken("step_completed", 2, A), 9),
  ],
  [
    "another attempt than the open one is completed",
    ["end-has-start"],
    storyWith(11, underToken("step_completed", 3, { step_id: "b", attempt_id: 1 }), 1),
  ],
  ["a step is completed twice", ["completed-once", "end-has-start"], storyWith(5, underToken("step_completed", 2, B))],
  [
    "a completed step is started again",
    ["completed-once"],
    storyWith(5, underToken("step_started", 2, { step_id: "a", attempt_id: 3 })),
  ],
];

describe("what a ledger says of leases and steps", () => {
  it.each(BROKEN_STEPS)("%s: %j", (_, rules, rows) => expect(listRules(checkSteps("p", rows))).toEqual(rules));
});

const BROKEN_WITNESS: readonly (readonly [string, Rule, Note])[] = [
  ["a lease that was acknowledged is not there", "acknowledged-kept", { ...p, kind: "leased", token: 9, at: 20 }],
  ["a token was given to two workers", "token-once", { ...p, kind: "leased", token: 2, at: 20 }],
  [
    "a completion that was acknowledged is not there",
    "acknowledged-kept",
    { ...p, kind: "acknowledged", step_id: "z", attempt_id: 1, token: 2, result: RESULT, at: 20 },
  ],
  [
    "a completion was acknowledged to another attempt",
    "acknowledged-kept",
    { ...p, kind: "acknowledged", ...A, token: 1, result: RESULT, at: 20 },
  ],
  [
    "another result was acknowledged",
    "result-same",
    { ...p, kind: "acknowledged", ...B, token: 2, result: "other", at: 20 },
  ],
  [
    "a checkpoint that was acknowledged is not there",
    "acknowledged-kept",
    { ...p, kind: "checkpoint", seq: 5, next_step: "go on", at: 20 },
  ],
  ["another checkpoint is there", "acknowledged-kept", { ...p, kind: "checkpoint", seq: 6, next_step: "stop", at: 20 }],
  [
    "a body ran whose start is not there",
    "execution-recorded",
    { ...p, kind: "executed", step_id: "a", attempt_id: 2, token: 1, at: 2 },
  ],
  [
    "a body ran after the completion was acknowledged",
    "executed-after",
    { ...p, kind: "executed", ...A, token: 1, at: 20 },
  ],
  [
    "a repetition gave another result",
    "result-same",
    { ...p, kind: "repeated", step_id: "a", result: "other", at: 20 },
  ],
  [
    "a repetition gave a result of nothing",
    "result-same",
    { ...p, kind: "repeated", step_id: "z", result: RESULT, at: 20 },
  ],
  [
    "the outside system has another effect",
    "result-same",
    { ...p, kind: "effect", key: "k", step_id: "a", answer: "other", at: 20 },
  ],
];

describe("what workers wrote down", () => {
  it.each(BROKEN_WITNESS)("%s: %s", (_, rule, note) =>
    expect(
      listRules(
        checkWitness(
          "p",
          makeLedger(STORY),
          [...NOTES, note].toSorted((a, b) => a.at - b.at),
        ),
      ),
    ).toEqual([rule]),
  );

  it("is of each project for itself", () => {
    const foreign: Note = { project_id: "q", kind: "leased", token: 9, at: 20 };
    expect(checkWitness("p", makeLedger(STORY), [...NOTES, foreign])).toEqual([]);
  });
});

it("has seen every rule broken", () => {
  const seen = new Set<string>([
    ...BROKEN_ROWS.flatMap(([, rules]) => rules),
    ...BROKEN_STEPS.flatMap(([, rules]) => rules),
    ...BROKEN_WITNESS.map(([, rule]) => rule),
  ]);
  expect(Object.keys(RULES).filter((rule) => !seen.has(rule))).toEqual([]);
});
