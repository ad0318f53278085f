import { startProvider } from "../../harness/providers/index.ts";
import { measure, makeTranscript, type Measurement, type Subject } from "./measure.ts";
import { filterScenarios, MEASURED, type Scenario } from "./scenarios.ts";
import { openEmbedded, openGatewayTalk, type Talk } from "./talk.ts";

/** Scenarios that one running OpenClaw goes through, one after the other. */
export interface Group extends Subject {
  root: string;
  scenarios: readonly Scenario[];
}

/** What is to be measured; an empty list is everything. */
export interface Choice {
  sample: boolean;
  scenarios: readonly string[];
  apis: readonly string[];
}

// Of every kind one that takes no retries with growing pauses: a filter, a whole call, half a call, a refusal of the
// history.
const SAMPLE = ["1", "4", "end", "8"];
// A kill ends what is in flight, so it comes last.
const byKill = (left: Scenario, right: Scenario): number => Number(left.kill ?? false) - Number(right.kill ?? false);

/**
 * The scenarios of a mode: the content filters of all APIs go through the embedded runs, which are the same code in the
 * gateway.
 */
export function listScenarios({ mode }: Pick<Subject, "mode">, choice: Choice): Scenario[] {
  const filters =
    mode === "gateway"
      ? []
      : ALL_APIS.flatMap((api) => (choice.sample ? filterScenarios(api).slice(0, 1) : filterScenarios(api)));
  return [...MEASURED, ...filters]
    .filter(({ id, api }) => !choice.sample || api !== "anthropic-messages" || SAMPLE.includes(id))
    .filter(({ id }) => choice.scenarios.length === 0 || choice.scenarios.includes(id))
    .filter(({ api }) => choice.apis.length === 0 || choice.apis.includes(api))
    .toSorted(byKill);
}

const ALL_APIS = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "bedrock-converse-stream",
] as const;

/**
 * Measures a group with an OpenClaw and a provider of its own; what cannot be measured says why, and the rest goes on.
 */
export async function runGroup(group: Group, done: (one: Measurement) => void): Promise<void> {
  const { scenarios, release, variant, mode } = group;
  const subject: Subject = { release, variant, mode };
  const provider = await startProvider();
  try {
    const talk = await openTalk(group, provider.url).catch((error: unknown) => {
      for (const scenario of scenarios) done(notMeasured(scenario, subject, error));
    });
    if (!talk) return;
    try {
      for (const scenario of scenarios) {
        if (!talk.apis.includes(scenario.api)) continue;
        done(
          await measure(scenario, talk, provider, subject).catch((error: unknown) =>
            notMeasured(scenario, subject, error),
          ),
        );
      }
    } finally {
      await talk.close();
    }
  } finally {
    await provider.close();
  }
}

function openTalk({ release, root, mode, scenarios }: Group, providerUrl: string): Promise<Talk> {
  const installed = { release, root, providerUrl };
  return mode === "embedded" ? openEmbedded(installed) : openGatewayTalk(installed, scenarios.map(makeTranscript));
}

function notMeasured({ id, title, api }: Scenario, subject: Subject, error: unknown): Measurement {
  const failed = error instanceof Error ? error.message : String(error);
  return {
    ...subject,
    id,
    title,
    api,
    failed,
    shown: { text: "", ms: 0 },
    requests: 0,
    sameTwice: false,
    resumed: 0,
    next: [],
    executed: "not executed",
    places: [],
  };
}
