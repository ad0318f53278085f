import { expect, test } from "vitest";
import type { ModelApi } from "../../../harness/corpus/case.ts";
import { failureLines } from "../failures.ts";
import { makeJobs, type Job } from "../jobs.ts";
import { formatJson } from "../json.ts";
import type { Verdict } from "../judge.ts";
import { plain } from "./paint.ts";
import type { ReleaseReport, RunRecord, Variant } from "../record.ts";
import { chooseColumns, makeTableRows } from "./report.ts";
import { tallyFigures, summaryLines } from "./summary.ts";
import { layTable } from "./table.ts";

const GOOD: Verdict = { answered: "both", lost: [], unwanted: [] };
const BRICKED: Verdict = { answered: "none", error: "roles must alternate", unwanted: [] };
const LOSSY: Verdict = { answered: "both", lost: ["blue heron"], unwanted: [] };

function names(jobs: readonly Job[]): string[] {
  return jobs.map(({ id, api }) => `${id} ${api}`);
}

function job(id: string, api: ModelApi): Job {
  return {
    id,
    title: "Long title",
    report: "openclaw#4650",
    api,
    transcript: () => "",
    mustReach: ["blue heron", "Tür 7"],
    mustNotReach: [],
  };
}

function run(variant: Variant, id: string, api: ModelApi, verdict: Verdict): RunRecord {
  const healed = variant === "patched" ? [{ gate: "history", kind: "displaced_tool_result", count: 2 }] : [];
  return { job: job(id, api), release: "2026.9.6", variant, turns: [], verdict, requests: [], healed, failures: [] };
}

const REPORT: ReleaseReport = {
  release: "2026.9.6",
  allApis: true,
  ms: 61_000,
  unavailable: [{ api: "bedrock-converse-stream", reason: "it is not there", cases: 1 }],
  records: [
    run("stock", "a-limit-cuts", "anthropic-messages", BRICKED),
    run("patched", "a-limit-cuts", "anthropic-messages", GOOD),
    run("stock", "a-limit-cuts", "openai-completions", LOSSY),
    run("patched", "a-limit-cuts", "openai-completions", GOOD),
    run("stock", "q-incident", "anthropic-messages", BRICKED),
    run("patched", "q-incident", "anthropic-messages", GOOD),
    run("stock", "q-incident", "openai-completions", BRICKED),
    run("patched", "q-incident", "openai-completions", GOOD),
  ],
};

test("shows the incidents first, and a line for each outcome of a case", () => {
  const choice = { stock: true, errors: false };
  expect(layTable(chooseColumns(choice), makeTableRows(REPORT, choice), 100)).toEqual([
    "case        report  API        stock        patched   healed",
    "",
    "Q · The three incidents of 5 February 2026",
    "Incident    #4650   all 2      bricked      answered  2\u00a0×\u00a0a tool result that does not follow its",
    "                                                      call",
    "    Long title",
    "    stock: roles must alternate",
    "",
    "A · Orphaned result after the history limit",
    "Limit cuts  #4650   anthropic  bricked      answered  2\u00a0×\u00a0a tool result that does not follow its",
    "                                                      call",
    "                    chat       lost 1 of 2  answered  2\u00a0×\u00a0a tool result that does not follow its",
    "                                                      call",
  ]);
});

test("leaves the unpatched OpenClaw out when it did not run", () => {
  const records = REPORT.records.filter(({ variant }) => variant === "patched");
  const choice = { stock: false, errors: false };
  const lines = layTable(chooseColumns(choice), makeTableRows({ ...REPORT, records }, choice), 100);
  expect(lines[0]).toBe("case        report  API    patched   healed");
  expect(lines.at(-1)).toBe(
    "Limit cuts  #4650   all 2  answered  2\u00a0×\u00a0a tool result that does not follow its call",
  );
});

test("sums up", () => {
  expect(tallyFigures(REPORT.records, "stock")).toMatchObject({
    runs: 4,
    answered: 1,
    bricked: 3,
    lossy: 1,
    lost: 1,
    good: 0,
  });
  expect(summaryLines(REPORT, 100, plain)).toEqual([
    "OpenClaw 2026.9.6: 2 cases, two messages each, each on every API that it concerns",
    "  stock    bricked 3 of 4 · answered 1 · real content lost in 1 (1 piece)",
    "  patched  answered 4 of 4 · no real content lost",
    "  not run  bedrock: it is not there; 1 case concerns no other API",
    "  time     1:01",
  ]);
});

test("says what failed with the patch and how to run it again", () => {
  expect(failureLines(REPORT, 100, plain)).toEqual([]);
  const records = [run("patched", "a-limit-cuts", "openai-completions", LOSSY)];
  expect(failureLines({ ...REPORT, records }, 100, plain)).toEqual([
    "",
    "Failed with the patch",
    "  a-limit-cuts on chat",
    '    did not reach the provider: "blue heron"',
    "    npm start -- --release 2026.9.6 --api chat \\",
    "      --only '^a-limit-cuts$'",
  ]);
});

test("writes JSON with its fields in one order", () => {
  const parsed = JSON.parse(formatJson([REPORT])) as { releases: { runs: object[] }[] };
  const first = parsed.releases[0]!.runs[0]!;
  expect(Object.keys(first).slice(0, 13).join(" ")).toBe(
    "case title words report api release variant turns answered error requests healed lost",
  );
  expect(first).toMatchObject({ case: "a-limit-cuts", error: "roles must alternate", lost: null });
});

test("runs a case on one of its APIs, the same one whatever else is chosen, and on each of them with all", () => {
  const apis: ModelApi[] = ["anthropic-messages", "openai-completions", "bedrock-converse-stream"];
  const base = {
    title: "",
    report: "measured",
    reported: "2026-02-05",
    error: "",
    expected: "answered" as const,
    mustReach: [],
  };
  const corpus = ["a-one", "a-two", "a-three-words", "q-four"].map((id) => ({ ...base, id, apis }));
  const choice = { available: apis.slice(0, 2), all: false };
  expect(names(makeJobs(corpus, choice))).toEqual([
    "a-one anthropic-messages",
    "a-two openai-completions",
    "a-three-words anthropic-messages",
    "q-four anthropic-messages",
    "q-four openai-completions",
  ]);
  expect(names(makeJobs(corpus, { ...choice, only: /two$/ }))).toEqual(["a-two openai-completions"]);
  expect(names(makeJobs(corpus, { ...choice, only: /three words/i }))).toEqual(["a-three-words anthropic-messages"]);
  expect(makeJobs(corpus, { ...choice, all: true })).toHaveLength(8);
  expect(makeJobs(corpus, { ...choice, apis: ["bedrock-converse-stream"] })).toEqual([]);
});
