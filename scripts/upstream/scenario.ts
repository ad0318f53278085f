import { Lane } from "../start/lane.ts";
import { makeJobs, type Job } from "../start/jobs.ts";
import { isBricked } from "../start/judge.ts";
import { loadCorpus } from "../../harness/corpus/case.ts";
import { chatCase, refusedInChat } from "./chat-case.ts";
import { killedBatch } from "./killed-batch.ts";
import { killedBranch } from "./killed-branch.ts";
import type { Scenario, Subject } from "./proof-plan.ts";

/** Runs a scenario on the real OpenClaw against a strict provider; gives what happened, one fact a line. */
export async function runScenario(scenario: Scenario, subject: Subject): Promise<readonly string[]> {
  switch (scenario.kind) {
    case "corpus":
      return await corpusCase(scenario, subject);
    case "chat":
      return await chatCase(scenario, subject.root);
    case "refused-in-chat":
      return await refusedInChat(scenario, subject.root);
    case "killed-batch":
      return await killedBatch(scenario, subject);
    case "killed-branch":
      return await killedBranch(scenario, subject);
  }
}

/** What a reader calls the scenario. */
export function scenarioTitle(scenario: Scenario): string {
  switch (scenario.kind) {
    case "corpus":
      return `stored session ${scenario.case}, ${scenario.api}`;
    case "chat":
      return `stored session ${scenario.case} in a chat channel, ${scenario.api}`;
    case "refused-in-chat":
      return `the provider answers a chat message with "${scenario.fault}", ${scenario.api}`;
    case "killed-batch":
      return `kill -9 while the second of two parallel calls runs, ${scenario.api}`;
    case "killed-branch":
      return `kill -9 behind a branch of a stored session, ${scenario.api}`;
  }
}

async function corpusCase(
  scenario: Extract<Scenario, { kind: "corpus" }>,
  { release, root }: Subject,
): Promise<string[]> {
  const lane = await Lane.start({ variant: "stock", release, root, env: {} });
  try {
    const job = findJob(scenario);
    const { verdict, requests } = await lane.run(job, AbortSignal.timeout(180_000));
    const { answered, error, lost } = verdict;
    const statuses = requests.map(({ status }) => status).join(", ") || "none was sent";
    const lines = [
      `answered: ${answered}${isBricked(verdict) ? " (the session is bricked)" : ""}; requests: ${statuses}`,
    ];
    if (error !== undefined) lines.push(`error: ${error}`);
    if (lost !== undefined)
      lines.push(`content sent: ${job.mustReach.length - lost.length} of ${job.mustReach.length} pieces`);
    return lines;
  } finally {
    await lane.close();
  }
}

function findJob({ case: id, api }: Extract<Scenario, { kind: "corpus" }>): Job {
  const cases = loadCorpus().filter((one) => one.id === id);
  const [job] = makeJobs(cases, { available: [api], all: true });
  if (job === undefined)
    throw new Error(`expected a corpus case "${id}" that concerns ${api}; found none in harness/corpus.`);
  return job;
}
