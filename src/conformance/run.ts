import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProvider, type StrictProvider } from "../providers/index.ts";
import { type Kind, type TestCase, VERSION } from "./cases/case.ts";
import { CommandAgent } from "./drive/agent.ts";
import { Effects } from "./drive/effects.ts";
import { playCase } from "./drive/play.ts";
import { ServerAgent } from "./drive/server-agent.ts";
import { cannotRun } from "./errors.ts";
import { type Fault, judge, type Observed } from "./judge/judge.ts";

/** Which agent is tested, and how. */
export interface AgentTestOptions {
  readonly cases: readonly TestCase[];
  /** The agent's command; of an agent with a URL the one that starts its server. */
  readonly command: readonly string[];
  readonly url?: URL;
  /** Of the provider, for an agent that knows its address beforehand. */
  readonly providerPort?: number;
  /** Milliseconds for one turn. */
  readonly limitMs: number;
  /** Told each case when it was played. */
  readonly onCase?: (played: CaseReport) => void;
}

/** What an agent did in one case. */
export interface CaseReport {
  readonly id: string;
  readonly kind: Kind;
  readonly about: string;
  /** `skipped`: a kill of an agent that the kit has not started. */
  readonly outcome: "passed" | "failed" | "skipped";
  readonly faults: readonly Fault[];
  /** How many requests were made, and refused for what is in them. */
  readonly requests: number;
  readonly refused: number;
}

/** What an agent did in all cases. */
export interface AgentReport {
  readonly version: typeof VERSION;
  readonly conforms: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cases: readonly CaseReport[];
}

/**
 * Plays the cases with an agent, one after the other, and judges its requests. Rejects with an AgentTestError where the
 * agent cannot be started or has nothing to do with the provider.
 */
export async function testAgent(options: AgentTestOptions): Promise<AgentReport> {
  const { command, url, limitMs, cases } = options;
  const canBeKilled = command.length > 0;
  if (!canBeKilled && cases.every(isWithKill))
    throw cannotRun({
      expected: "a case without a kill, of an agent that the kit does not start",
      found: `${cases.length} with kills`,
      todo: "Name the command that starts the agent's server behind --.",
    });
  const provider = await openProvider(options.providerPort);
  const effects = await Effects.start();
  const agent = url === undefined ? new CommandAgent(command) : new ServerAgent(url, command, limitMs);
  const folder = mkdtempSync(join(tmpdir(), "test-agent-"));
  const tidy = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", tidy);
  const run = randomUUID().slice(0, 8);
  const played: CaseReport[] = [];
  let hasAsked = false;
  try {
    for (const [at, test] of cases.entries()) {
      if (isWithKill(test) && !canBeKilled) {
        played.push(report(test, { turns: [], effects: [] }, "skipped"));
        continue;
      }
      const place = { session: `${run}-${at}`, state: join(folder, String(at), "state") };
      mkdirSync(place.state, { recursive: true });
      const observed = await playCase(test, place, { agent, provider, effects, limitMs });
      hasAsked ||= observed.turns.some(({ requests }) => requests.some(({ api }) => api !== "unknown"));
      if (!hasAsked) throw neverAsked(observed);
      const one = report(test, observed);
      played.push(one);
      options.onCase?.(one);
    }
  } finally {
    await agent.close();
    effects.close();
    await provider.close();
    process.off("exit", tidy);
    tidy();
  }
  const count = (outcome: CaseReport["outcome"]): number => played.filter((one) => one.outcome === outcome).length;
  const [passed, failed, skipped] = [count("passed"), count("failed"), count("skipped")];
  return { version: VERSION, conforms: failed === 0, passed, failed, skipped, cases: played };
}

function isWithKill({ turns }: TestCase): boolean {
  return turns.some(({ kill }) => kill !== undefined);
}

async function openProvider(port: number | undefined): Promise<StrictProvider> {
  try {
    return await startProvider({ ...(port !== undefined && { port }), maxBytes: MAX_BODY });
  } catch (error) {
    throw cannotRun({
      expected: `port ${port} to be free for the provider`,
      found: (error as Error).message,
      todo: "Choose another one with --provider-port.",
    });
  }
}

/** No request of a case has as much: an agent that sends more is one without a limit. */
const MAX_BODY = 8_000_000;

function report(
  { id, kind, about, ...test }: TestCase,
  observed: Observed,
  outcome?: CaseReport["outcome"],
): CaseReport {
  const requests = observed.turns.flatMap((turn) => turn.requests);
  const faults = outcome === undefined ? judge({ id, kind, about, ...test }, observed) : [];
  return {
    id,
    kind,
    about,
    outcome: outcome ?? (faults.length === 0 ? "passed" : "failed"),
    faults,
    requests: requests.length,
    refused: requests.filter(({ status, fault }) => status >= 400 && fault === undefined).length,
  };
}

/** An agent that is not connected has not been tested. */
function neverAsked({ turns }: Observed): Error {
  const turn = turns[0]!;
  const unknown = turn.requests[0];
  const found = unknown === undefined ? "none" : `one to ${unknown.path}`;
  return cannotRun({
    expected: "a request to a model in the first case",
    found: `${found}${turn.unanswered === undefined ? "" : `; ${turn.unanswered}`}`,
    todo:
      "The agent has to take the model's address from OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, " +
      "AWS_ENDPOINT_URL_BEDROCK_RUNTIME, or provider_url of the file in TEST_AGENT_CASE.",
  });
}
