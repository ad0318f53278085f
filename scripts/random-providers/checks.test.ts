import { describe, expect, it } from "vitest";
import type { RecordedRequest } from "../../harness/providers/index.ts";
import { findFaults, type Claim } from "./checks.ts";
import type { Played, PlayedTurn } from "./played.ts";
import { makeMessage, makePlan, saidMark, type Plan } from "./plan.ts";

/** A plan of which a word is refused, with another model's endpoint and a turn before. */
function aPlan(): Plan {
  for (let nth = 0; ; nth++) {
    const plan = makePlan("checks", nth, "library");
    const { rule, isSwitched, wording, api } = plan;
    const isWord = rule.kind === "word in answer" && wording.kind === "unknown" && wording.status === 400;
    if (isWord && isSwitched && api === "anthropic-messages") return plan;
  }
}

const plan = aPlan();
const history = plan.conversation.pieces.map(({ mark }) => mark);
const [refused = []] = plan.rule.mayMiss;

/** A request with these words behind the ones of the person. */
function request(words: readonly string[], more: Partial<RecordedRequest> & { tokens?: number } = {}): RecordedRequest {
  const { tokens = 8192, ...fields } = more;
  const body = { max_tokens: tokens, messages: [{ role: "user", content: words.join(" ") }] };
  const raw = JSON.stringify(body);
  const base = { api: "anthropic-messages", path: "", headers: {}, fingerprint: "", at: 0 } as const;
  return { ...base, violations: [], body, raw, status: 200, ...fields };
}

const refusal = (words: readonly string[], tokens?: number): RecordedRequest =>
  request(words, { status: 400, refusedBy: { by: "front", name: "400" }, ...(tokens !== undefined && { tokens }) });

const said = (turns: number): string[] => Array.from({ length: turns }, (_, at) => saidMark(plan, at));
const everything = (turns: number): string[] => [...history, ...said(turns)];
const without = (words: readonly string[], left: readonly string[]): string[] =>
  words.filter((word) => !left.includes(word));

function turn(at: number, phase: PlayedTurn["phase"], more: Partial<PlayedTurn>): PlayedTurn {
  const requests = [request(everything(at + 1))];
  return {
    phase,
    mark: saidMark(plan, at),
    answered: true,
    text: "ok",
    isHeldBack: false,
    ms: 1,
    requests,
    behind: [],
    ...more,
  };
}

/** What is played where all goes as claimed. */
function aPlay(): Played {
  const alone = [makeMessage(saidMark(plan, 1))];
  const turns = [
    turn(0, "warm", {}),
    turn(1, "refused", {
      requests: [refusal(everything(2)), request(alone)],
      behind: [request(history.slice(0, 5), { tokens: 1 }), refusal(refused, 1)],
    }),
    turn(2, "refused", { requests: [request(without(everything(3), refused))] }),
    turn(3, "back", {}),
  ];
  return { plan, turns, archived: [] };
}

/** The claims that do not hold where one turn is otherwise. */
function broken(at: number, more: Partial<PlayedTurn>, archived: string[] = []): Claim[] {
  const played = aPlay();
  played.turns[at] = { ...played.turns[at]!, ...more };
  return [...new Set(findFaults({ ...played, archived }).map(({ claim }) => claim))];
}

describe("the judgement finds what a claim says, so that a run without failures means something", () => {
  it("nothing where all goes as claimed", () => expect(findFaults(aPlay())).toEqual([]));

  it("a conversation that was archived", () => expect(broken(0, {}, ["s.jsonl.integrity-ab.bak"])).toEqual(["kept"]));

  it("a word that is not sent again at the old endpoint", () =>
    expect(broken(3, { requests: [request(without(everything(4), refused))] })).toEqual(["kept"]));

  it("nothing in what was refused alone, where the person was told: another model alone has to be sent that", () => {
    const played = aPlay();
    played.turns[1]!.isHeldBack = true;
    const words = without(everything(4), said(2).slice(1));
    played.turns[3]!.requests = [request(words)];
    expect(findFaults({ ...played, plan: { ...plan, way: "2026.2.3" } })).toMatchObject([{ claim: "kept" }]);
    expect(findFaults({ ...played, plan: { ...plan, way: "library" } })).toEqual([]);
  });

  it("no failure in the first server error, and one in the second", () => {
    const failing = { ...plan, wording: { ...plan.wording, status: 503 } };
    const failed = { answered: false, text: plan.wording.words, behind: [] };
    const played = { ...aPlay(), plan: failing };
    played.turns[1] = { ...played.turns[1]!, ...failed, requests: [refusal(everything(2))] };
    expect(findFaults(played)).toEqual([]);
    played.turns[2] = { ...played.turns[2]!, ...failed, requests: [refusal(everything(3))] };
    expect(findFaults(played)).toMatchObject([{ claim: "answered" }]);
  });

  it("a fourth request", () =>
    expect(
      broken(1, {
        requests: [1, 2, 3].map((n) => refusal([`${n}`])).concat(request([makeMessage(saidMark(plan, 1))])),
      }),
    ).toEqual(["requests"]));

  it("a ninth request behind a turn, one of many tokens, and more than twice the history", () => {
    const small = request([], { tokens: 1 });
    expect(broken(1, { behind: Array.from({ length: 9 }, () => small) })).toEqual(["behind"]);
    expect(broken(1, { behind: [request([], { tokens: 17 })] })).toEqual(["behind"]);
    expect(broken(1, { behind: Array.from({ length: 8 }, () => request(everything(2), { tokens: 1 })) })).toEqual([
      "behind",
    ]);
  });

  it("no history in a system prompt, wherever it stands: it may have been moved by what an earlier play taught", () => {
    const behind = Array.from({ length: 8 }, () => request([], { tokens: 1 }));
    const prompted = ({ raw, ...more }: RecordedRequest): RecordedRequest => ({ ...more, raw: raw + "P".repeat(4000) });
    const played = aPlay();
    played.turns[1]!.behind = behind;
    for (const one of played.turns)
      for (const which of ["requests", "behind"] as const) one[which] = one[which].map(prompted);
    expect(findFaults(played)).toEqual([]);
  });

  it("another word that is left out with the refused part, and a search that was not made", () => {
    expect(broken(2, { requests: [request(without(everything(3), [...refused, said(1)[0]!]))] })).toEqual(["found"]);
    const alone = [refusal(everything(3)), request([makeMessage(saidMark(plan, 2))])];
    const played = aPlay();
    played.turns[1]!.behind = [];
    played.turns[2]!.requests = alone;
    expect(findFaults(played)).toMatchObject([{ claim: "found", text: "turn 2: no search was made" }]);
  });

  it("another word that is left out behind a search that had all of its requests, from the second turn on", () => {
    const lost = [...refused, history.find((mark) => !refused.includes(mark))!];
    const searchedWith = (requests: number, turns: number): Claim[] => {
      const played = aPlay();
      played.turns[1]!.behind = Array.from({ length: requests }, () => request(history.slice(0, 1), { tokens: 1 }));
      played.turns[2]!.requests = [request(without(everything(3), lost))];
      const words = (at: number): string[] =>
        turns === 1 ? without(everything(at), refused) : without(everything(at), lost);
      played.turns[3] = turn(3, "refused", { requests: [request(words(4))] });
      return findFaults(played).map(({ claim }) => claim);
    };
    expect(searchedWith(8, 1)).toEqual([]);
    expect(searchedWith(8, 2)).toEqual(["found"]);
    expect(searchedWith(7, 1)).toEqual(["found"]);
  });

  it("a word that is not sent at an endpoint that has refused by chance, unless a search was misled", () => {
    const lifted = (behind: RecordedRequest[]): Claim[] => {
      const played = aPlay();
      played.turns = [
        turn(0, "refused", { behind }),
        turn(1, "lifted", { requests: [request(without(everything(2), refused))] }),
        turn(2, "back", {}),
      ];
      const chance = { ...plan, rule: { ...plan.rule, scope: "chance" } } as const satisfies Plan;
      return findFaults({ ...played, plan: chance }).map(({ claim }) => claim);
    };
    expect(lifted([])).toEqual(["kept"]);
    expect(lifted([refusal(refused, 1)])).toEqual([]);
  });

  it("no answer where the last words are taken, and no words of the provider's where they are not", () => {
    expect(broken(1, { answered: false, requests: [refusal(everything(2))], text: plan.wording.words })).toEqual([
      "answered",
    ]);
    const whole = { ...plan, rule: { ...plan.rule, scope: "whole", breach: () => "whole" } } as const satisfies Plan;
    const turns = [turn(0, "refused", { answered: false, text: "", requests: [refusal(everything(1))] })];
    expect(findFaults({ plan: whole, turns, archived: [] })).toMatchObject([{ claim: "told" }]);
    turns[0]!.text = `The provider says: ${plan.wording.words}`;
    expect(findFaults({ plan: whole, turns, archived: [] })).toEqual([]);
  });

  it("a request that breaks a rule of its API", () =>
    expect(
      broken(0, {
        requests: [request([], { status: 400, refusedBy: { by: "api", name: "" } }), request(everything(1))],
      }),
    ).toEqual(["valid"]));
});

it("a provider of a seed is the same one each time: a failure can be played again", () => {
  for (let nth = 0; nth < 20; nth++)
    expect(JSON.stringify(makePlan("again", nth, "2026.2.3"))).toBe(JSON.stringify(makePlan("again", nth, "2026.2.3")));
});
