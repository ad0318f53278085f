import { expect, test } from "vitest";
import { randomCase } from "../../harness/hidden-rules/index.ts";
import { findException } from "./exceptions.ts";
import { judgePair } from "./judge.ts";
import { isProbe } from "./probe.ts";
import type { CaseRecord, TurnRecord } from "./record.ts";
import { pageWith } from "./page.ts";
import { replayCommand, formatJson, formatSection, formatTable } from "./report.ts";
import type { Pair } from "./run.ts";

const played = { ...randomCase(7), group: "random" as const };
const turn = (answered: boolean, requests: number, sent?: string[]): TurnRecord => ({
  answered,
  shown: answered ? "The answer is kestrel-1." : "[a notice]",
  ms: 1,
  requests: Array.from({ length: requests }, () => ({ status: 200 })),
  behind: 0,
  ...(sent && { sent }),
});
const record = (variant: "stock" | "patched", ...turns: TurnRecord[]): CaseRecord => ({
  played,
  release: "2026.2.3",
  variant,
  turns,
  timedOut: false,
});
const makePair = (stock: TurnRecord[], patched: TurnRecord[]): Pair => {
  const [before, after] = [record("stock", ...stock), record("patched", ...patched)];
  const findings = judgePair(before, after);
  return { release: "2026.2.3", played, stock: before, patched: after, findings, excepted: [] };
};

test("a message that only the unpatched one answers is worse, whatever the patched one shows instead", () => {
  const pair = makePair([turn(true, 1, ["a"])], [turn(false, 1, ["a"])]);
  expect(pair.findings).toEqual([{ kind: "unanswered", turn: 1, what: "[a notice]" }]);
  expect(makePair([turn(false, 1)], [turn(false, 1)]).findings).toEqual([]);
  expect(makePair([turn(false, 1)], [turn(true, 2, ["a"])]).findings).toEqual([]);
});

test("a patched conversation that could not be stored is worse than one that was answered", () => {
  const stock = record("stock", turn(true, 1));
  expect(judgePair(stock, { ...record("patched"), error: "no store" }).map(({ kind }) => kind)).toEqual(["unanswered"]);
  expect(judgePair({ ...record("stock"), error: "no store" }, record("patched", turn(true, 1)))).toEqual([]);
});

test("a picture that OpenClaw 2026.9 no longer sends is not lost where more turns were answered before", () => {
  const lost = (release: string, isAnswered: boolean): string[] => {
    const stock = { ...record("stock", turn(isAnswered, 1, []), turn(true, 1, ["a", "picture 1"])), release };
    const patched = { ...record("patched", turn(true, 1, []), turn(true, 1, [])), release };
    return judgePair(stock, patched).map(({ what }) => what);
  };
  expect(lost("2026.9.6", false)).toEqual(["a"]);
  expect(lost("2026.9.6", true)).toEqual(["a, picture 1"]);
  expect(lost("2026.2.3", false)).toEqual(["a, picture 1"]);
});

test("a word that only the unpatched one still sends is lost, also where nothing of the patched one was accepted", () => {
  const lost = (after?: string[]): string[] =>
    makePair([turn(true, 1, ["a", "b"])], [turn(true, 1, after)]).findings.map(({ what }) => what);
  expect([lost(["b", "a", "c"]), lost(["a"]), lost()]).toEqual([[], ["b"], ["a, b"]]);
  expect(makePair([turn(false, 1)], [turn(true, 1, [])]).findings).toEqual([]);
});

test("two requests more are borne, three are not, turn by turn", () => {
  const kinds = (stock: number, patched: number): string[] =>
    makePair([turn(true, 1), turn(true, stock)], [turn(true, 1), turn(true, patched)]).findings.map(({ kind }) => kind);
  expect([kinds(1, 3), kinds(1, 4), kinds(4, 1)]).toEqual([[], ["requests"], []]);
  // A request of OpenClaw's own that came behind the answer in one of them and before it in the other.
  expect(makePair([{ ...turn(true, 1), behind: 1 }], [turn(true, 4)]).findings).toEqual([]);
});

test("an exception holds for its kind, its cases and its release only", () => {
  const one = { kind: "requests", cases: /^random-7 /, release: "2026.2.3", reason: "known" } as const;
  const tryException = (kind: "requests" | "lost", release: string): unknown =>
    findException({ kind, turn: 1, what: "" }, { played, release }, [one]);
  expect([
    tryException("requests", "2026.2.3"),
    tryException("lost", "2026.2.3"),
    tryException("requests", "2026.9.6"),
  ]).toEqual([one, undefined, undefined]);
});

test("what a provider has refused before may be held back from it, what it has not may not", () => {
  const after = record("patched", turn(true, 1, ["a"]));
  const exceptions = [{}, { wasRefused: true as const }].map((more) => {
    const [finding] = judgePair(record("stock", { ...turn(true, 1, ["a", "b"]), ...more }), after);
    return findException(finding!, { played, release: "2026.2.3" });
  });
  expect(exceptions.map((one) => one?.isHeldBack)).toEqual([undefined, true]);
});

test("a request for a few tokens is no request of the turn, on any API", () => {
  const bodies = [
    { max_tokens: 16 },
    { max_completion_tokens: 1 },
    { max_output_tokens: 16 },
    { generationConfig: { maxOutputTokens: 8 } },
    { inferenceConfig: { maxTokens: 16 } },
  ];
  expect(bodies.map(isProbe)).toEqual(bodies.map(() => true));
  expect([{ max_tokens: 8192 }, {}, undefined].map(isProbe)).toEqual([false, false, false]);
});

test("the page counts what is worse, and says how each is played again", () => {
  const worse = makePair([turn(true, 1, ["a", "b"]), turn(true, 1)], [turn(false, 4, []), turn(true, 1)]);
  const table = formatTable([worse, makePair([turn(true, 1)], [turn(true, 2)])]);
  expect(table.split("\n").at(-1)).toBe("| 2026.2.3 | 2 | 3 | 3 | 2 | 1 | 2 | 3 | 1 | 0 |");
  const command = replayCommand(worse);
  expect(command).toMatch(/--seed 7 --random 1 --only '\^random-7 on \w+\$'$/);
  expect(formatSection([worse], "npm run trial never-worse")).toContain(`\`${command}\``);
  expect(JSON.parse(formatJson([worse]))).toMatchObject([
    { command, findings: worse.findings, stock: worse.stock.turns },
  ]);
});

test("a run of one group leaves what another run has found about the others on the page", () => {
  const both = pageWith({ corpus: "of the corpus", random: "of before" }, "");
  const page = pageWith({ random: "new" }, both);
  expect(page).toBe(both.replace("of before", "new"));
  expect(pageWith({ reports: "of reports" }, page)).toMatch(
    /of the corpus\n\n## Reports[^#]+of reports\n\n## Random[^#]+new\n$/,
  );
});
