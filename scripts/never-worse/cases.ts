import { loadCorpus } from "../../harness/corpus/case.ts";
import { randomCase } from "../../harness/hidden-rules/index.ts";
import { chooseModel } from "../../harness/openclaw/models.ts";
import { makeTurns } from "../../harness/played/case.ts";
import { REPORTS } from "../../harness/reports/index.ts";
import { ALL_APIS } from "../start/apis.ts";
import { makeJobs, type Job } from "../start/jobs.ts";
import { caseName, type GateCase, type Group } from "./case.ts";
import { faultCases } from "./fault-cases.ts";

/** Which cases the gate plays. */
export interface CaseChoice {
  groups: readonly Group[];
  /** How many random providers, from this seed on. */
  random: number;
  seed: number;
  only?: RegExp | undefined;
}

/** The cases of the chosen groups, group by group. */
export function chooseCases({ groups, random, seed, only }: CaseChoice): GateCase[] {
  const makers: Record<Group, () => GateCase[]> = {
    corpus: () => makeJobs(loadCorpus(), { available: ALL_APIS, all: true }).map(corpusCase),
    faults: faultCases,
    reports: () => REPORTS.map((one) => ({ ...one, group: "reports" })),
    random: () => Array.from({ length: random }, (_, at) => randomOnRoute(seed + at)),
  };
  const all = groups.flatMap((group) => makers[group]());
  return only ? all.filter((one) => only.test(caseName(one))) : all;
}

/** A random provider with a model of its own: what is learned of one is not true of another. */
function randomOnRoute(seed: number): GateCase {
  const played = randomCase(seed);
  const { model } = chooseModel(played.session, "");
  return { ...played, group: "random", session: { ...played.session, model: `${model}-r${seed}` } };
}

/** What `npm start -- --all` runs, with a provider that refuses nothing but what its API refuses. */
function corpusCase(job: Job): GateCase {
  const { id, title, report, api, historyLimit, model } = job;
  const session = { api, transcript: job.transcript(), ...(model && { model }), ...(historyLimit && { historyLimit }) };
  return { group: "corpus", id, title, report, session, marks: job.mustReach, turns: makeTurns("corpus", [{}, {}]) };
}
