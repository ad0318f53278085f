import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/transcript/json/json.ts";
import { parseLines } from "../../harness/openclaw/transcript.ts";
import { check, type Evidence } from "./check.ts";
import { RULES, type Rule } from "./finding.ts";
import { type Area, type Kill, listPlaces, planKills, type Turns } from "./plan.ts";
import { writeHistory, SCENARIOS } from "./scenarios.ts";
import type { Place, Step } from "./steps.ts";

const TAG = "travel-note-1";
const QUESTION = "what did I ask you first, 1?";
const HISTORY = parseLines(writeHistory("1")) as JsonObject[];
const [BEHIND_A_BATCH] = SCENARIOS;
const ids = HISTORY.slice(1).map(({ id }) => String(id));

const row = (id: string, parentId: string | null, message: object): JsonObject => ({
  type: "message",
  id,
  parentId,
  message,
});
const BATCH: readonly JsonObject[] = [
  row("question", ids.at(-1)!, { role: "user", content: QUESTION }),
  row("calls", "question", {
    role: "assistant",
    content: [
      { type: "toolCall", id: "t1", name: "tobe", arguments: { carryover_message: TAG } },
      { type: "toolCall", id: "t2", name: "read", arguments: {} },
    ],
  }),
  row("r1", "calls", {
    role: "toolResult",
    toolCallId: "t1",
    content: [{ type: "text", text: "you go on behind it" }],
  }),
  row("r2", "r1", { role: "toolResult", toolCallId: "t2", content: [{ type: "text", text: "the note" }] }),
];
const CARRYOVER: JsonObject = {
  type: "custom_message",
  customType: "openclaw-integrity:carryover",
  id: "carryover",
  parentId: ids[3]!,
  content: `[Carryover: ...] do it otherwise, ${TAG} ${QUESTION}`,
  details: {},
};
const NEXT = row("next", "carryover", { role: "user", content: "and now?" });

const said = (...texts: string[]): unknown => ({ messages: texts.map((content) => ({ role: "user", content })) });
const kill = (area: Area, place?: Place): Kill => ({ n: 0, scenario: BEHIND_A_BATCH!, area, ...(place && { place }) });
const BEHIND: Place = { from: "carryover", at: 9, part: "after" };
const KEPT = ["remember the heron", "alpha content", "beta content"];

/** A kill right behind the commit, from which everything went on as it should. */
const MOVED: Evidence = {
  kill: kill("right behind COMMIT", BEHIND),
  isKilled: true,
  question: QUESTION,
  tag: TAG,
  exchange: ["and now?", "a grey heron"],
  before: { rows: HISTORY, needsRebuild: false },
  atKill: { rows: [...HISTORY, ...BATCH, CARRYOVER], needsRebuild: true },
  after: { rows: [...HISTORY, ...BATCH, CARRYOVER, NEXT], needsRebuild: false },
  said: [{ answered: true }, { answered: true }],
  requests: [
    said(...KEPT, String(CARRYOVER.content), "and now?"),
    said(...KEPT, String(CARRYOVER.content), "and now?", "a grey heron", "and then?"),
  ].map((body) => ({ status: 200, body, violations: [] })),
};

const ALL = [
  ...KEPT,
  "gamma content",
  "all is read",
  QUESTION,
  "you go on behind it",
  "the note",
  "and now?",
  "a grey heron",
];
/** A kill right before the commit, likewise. */
const STAYED: Evidence = {
  ...MOVED,
  kill: kill("right before COMMIT", { ...BEHIND, part: "before" }),
  atKill: { rows: [...HISTORY, ...BATCH] },
  after: { rows: [...HISTORY, ...BATCH, { ...NEXT, parentId: "r2" }] },
  requests: [{ status: 200, body: said(...ALL), violations: [] }],
};

const listRules = (evidence: Evidence): Rule[] => [...new Set(check(evidence).map(({ rule }) => rule))];
const withBody = (evidence: Evidence, body: unknown): Evidence => ({
  ...evidence,
  requests: [{ status: 200, body, violations: [] }],
});

/** Evidence in which this rule is broken and no other. */
const BROKEN: Readonly<Record<Rule, readonly Evidence[]>> = {
  answered: [{ ...MOVED, said: [{ answered: true }, { answered: false, error: "no reply" }] }],
  accepted: [{ ...MOVED, requests: MOVED.requests.map((asked) => ({ ...asked, status: 400, violations: ["roles"] })) }],
  committed: [
    { ...MOVED, kill: STAYED.kill },
    { ...STAYED, kill: MOVED.kill },
  ],
  whole: [
    withBody(MOVED, said(...KEPT, "gamma content", String(CARRYOVER.content), "and now?", "a grey heron")),
    withBody(MOVED, said(...KEPT.slice(1), String(CARRYOVER.content), "and now?", "a grey heron")),
    withBody(MOVED, said(...KEPT, String(CARRYOVER.content), "the note", "and now?", "a grey heron")),
    withBody(STAYED, said(...ALL.filter((text) => text !== "the note"))),
    {
      ...MOVED,
      atKill: { rows: [...HISTORY, ...BATCH, { ...CARRYOVER, parentId: "r2" }] },
      after: { rows: [...HISTORY, ...BATCH, { ...CARRYOVER, parentId: "r2" }, NEXT] },
    },
  ],
  "asked-once": [
    {
      ...STAYED,
      requests: STAYED.requests.map((asked) => ({ ...asked, body: said(...ALL.filter((text) => text !== QUESTION)) })),
    },
    withBody(MOVED, said(...KEPT, String(CARRYOVER.content), QUESTION, "and now?", "a grey heron")),
  ],
  "one-carryover": [
    { ...MOVED, after: { rows: [...MOVED.after.rows, { ...CARRYOVER, id: "again", parentId: "next" }] } },
  ],
  steady: [
    { ...MOVED, after: { rows: [...MOVED.after.rows, row("elsewhere", "r2", { role: "user", content: "and now?" })] } },
    { ...STAYED, after: { rows: [...STAYED.after.rows, { ...CARRYOVER, parentId: "next" }] } },
  ],
  kept: [
    { ...MOVED, after: { rows: MOVED.after.rows.map((one) => (one.id === "r2" ? { ...one, more: true } : one)) } },
  ],
  "goes-on": [withBody(MOVED, said(...KEPT, String(CARRYOVER.content), "and now?"))],
  index: [{ ...MOVED, after: { ...MOVED.after, needsRebuild: true } }],
};

describe("what is held against a kill around a move", () => {
  it("finds nothing where the move happened, or did not, and all went on from there", () => {
    expect([...check(MOVED), ...check(STAYED)]).toEqual([]);
  });

  it("takes what a carryover reminds of for no part of what was left, and what stands beside it for one", () => {
    const body = (line: string): unknown =>
      said(...KEPT, `${String(CARRYOVER.content)}\n${line}`, "and now?", "a grey heron");
    expect(listRules(withBody(MOVED, body("> - gamma content")))).toEqual([]);
    expect(listRules(withBody(MOVED, body("gamma content")))).toEqual(["whole"]);
  });

  it.each(Object.keys(RULES) as Rule[])("sees it when this is broken: %s", (rule) => {
    for (const evidence of BROKEN[rule]) expect(listRules(evidence)).toEqual([rule]);
  });
});

const step = (n: number, verb: string, transaction?: number): Step => ({
  n,
  kind: "statement",
  verb,
  isCarryover: false,
  ...(transaction !== undefined && { transaction }),
});

describe("the places of a move", () => {
  const ROWS: readonly Step[] = [
    step(0, "INSERT", 0),
    step(1, "SELECT"),
    step(2, "BEGIN", 1),
    step(3, "SELECT", 1),
    { ...step(4, "INSERT", 1), isCarryover: true },
    step(5, "UPDATE", 1),
    step(6, "COMMIT", 1),
    step(7, "DELETE"),
  ];

  it("of a transaction: each step of it, its commit from both sides, and what lies around it", () => {
    const { batch, move } = listPlaces(ROWS);
    expect(batch.map(({ area, place }) => [place.at, area])).toEqual([
      [1, "the batch is being stored"],
      [2, "the batch is being stored"],
      [3, "in the carryover's transaction, before its row"],
    ]);
    expect(move.map(({ area, place }) => [place.at, place.part, area])).toEqual([
      [0, "before", "right before the carryover's row"],
      [0, "after", "right behind the carryover's row"],
      [1, "before", "in the carryover's transaction, behind its row"],
      [2, "before", "right before COMMIT"],
      [2, "after", "right behind COMMIT"],
      [3, "before", "a few steps later"],
    ]);
  });

  it("of a line: cut anywhere in it, its line feed too", () => {
    const line = (n: number): Step => ({ n, kind: "line", verb: "LINE", isCarryover: n === 1 });
    expect(listPlaces([line(0), line(1)]).move.map(({ place }) => place.part)).toEqual([
      "before",
      "1 byte",
      "half",
      "all but the newline",
      "after",
    ]);
  });

  it("are all in a plan, those of the move for every target, and the plan is as long as it was asked to be", () => {
    const TURNS: Turns = new Map(SCENARIOS.map((one) => [one, ROWS]));
    const plan = planKills(TURNS, { seed: "s", kills: 60, batchPlaces: 10, turnMs: 100 });
    expect(plan).toHaveLength(60);
    expect(plan.map(({ n }) => n)).toEqual(plan.map((_, at) => at));
    for (const { area } of listPlaces(ROWS).move)
      expect(new Set(plan.filter((one) => one.area === area).map(({ scenario }) => scenario.name)).size).toBe(
        SCENARIOS.length,
      );
    expect(planKills(TURNS, { seed: "s", kills: 60, batchPlaces: 10, turnMs: 100 })).toEqual(plan);
    expect(() =>
      planKills(new Map(SCENARIOS.map((one) => [one, ROWS.slice(0, 4)])), {
        seed: "s",
        kills: 1,
        batchPlaces: 1,
        turnMs: 1,
      }),
    ).toThrow(/expected a turn that stores a carryover/);
  });
});
