import {
  contentFilterForms,
  noToolBlocksAtAll,
  noToolResultOver,
  type FaultName,
  type Step,
  type StrictProvider,
} from "../../harness/providers/index.ts";
import type { ModelApi } from "../../harness/openclaw/index.ts";
import { quickCall, slowCall, tracedCall } from "../../harness/openclaw/traced-calls.ts";

/** One thing that goes wrong while a turn runs, and what is true before it. */
export interface Scenario {
  /** The number of the row in the report, or the fault's name. */
  id: string;
  title: string;
  api: ModelApi;
  /** What the provider does with the requests of the faulty turn; `trace` is the file that its calls write to. */
  steps(trace: string): Step[];
  /**
   * What the provider has against the conversation, in the faulty turn and ever after; `message` is the text of the
   * faulty turn.
   */
  lasting?(provider: StrictProvider, message: string): void;
  /** Whether OpenClaw is killed while the call of the first step runs. */
  kill?: true;
  /** Whether a quick call has finished by then: its result must not be lost. */
  quick?: true;
}

/** What the provider says when the faulty turn is answered after all. */
const LATE_ANSWER = "answered after all";
/** How long the command of a killed turn goes on. */
export const SLOW_SECONDS = 8;

// More than any release tries; without an end, a call that is executed would be asked for again and again.
const EVERY_ATTEMPT = 12;
const LATE: Step = { kind: "text", text: LATE_ANSWER, times: Infinity };

const always =
  (fault: FaultName) =>
  (trace: string): Step[] => [{ kind: "fault", fault, calls: [tracedCall(trace)], times: EVERY_ATTEMPT }, LATE];
const once =
  (fault: FaultName) =>
  (trace: string): Step[] => [{ kind: "fault", fault, calls: [tracedCall(trace)] }, LATE];
const refused = (fault: FaultName) => (): Step[] => [{ kind: "fault", fault, times: EVERY_ATTEMPT }, LATE];

function blocked(fault: FaultName) {
  return (provider: StrictProvider, message: string): void => provider.block(message, { fault });
}

const ANTHROPIC: Omit<Scenario, "api">[] = [
  { id: "1", title: "content filter inside a tool call", steps: always("content-filter-in-tool") },
  {
    id: "1b",
    title: "the same, after a finished tool",
    steps: (trace) => [{ kind: "tool", calls: [quickCall(trace)] }, ...always("content-filter-in-tool")(trace)],
    quick: true,
  },
  { id: "2", title: "connection dropped inside a tool call, on every attempt", steps: always("drop-in-tool") },
  {
    id: "2b",
    title: "connection dropped behind a whole tool call, on every attempt",
    steps: always("drop-after-tool"),
  },
  { id: "3", title: "content filter at once (HTTP 400)", steps: refused("content-filter-400") },
  { id: "4", title: "refusal with a tool call", steps: always("refusal-with-tool") },
  { id: "5", title: "overloaded inside a tool call, on every attempt", steps: always("overloaded-mid-stream") },
  { id: "5b", title: "overloaded once", steps: once("overloaded-once") },
  { id: "end", title: "clean end of the stream inside a tool call, once", steps: once("end-in-tool") },
  {
    id: "6",
    title: "kill -9 while a command runs",
    steps: (trace) => [{ kind: "tool", calls: [slowCall(trace, SLOW_SECONDS)] }],
    kill: true,
  },
  {
    id: "7",
    title: "kill -9 while the second of two commands runs",
    steps: (trace) => [{ kind: "tool", calls: [quickCall(trace), slowCall(trace, SLOW_SECONDS)] }],
    kill: true,
    quick: true,
  },
  { id: "8", title: "400 unexpected tool_use_id, whatever is sent", steps: refused("400-unexpected-tool-use-id") },
  { id: "9", title: "400 roles must alternate, whatever is sent", steps: refused("400-roles-alternate") },
  { id: "10", title: "400 tool_use without tool_result, whatever is sent", steps: refused("400-missing-tool-result") },
  ...[
    {
      id: "filter",
      title: "a filter that refuses every request with this message in it",
      lasting: blocked("content-filter-400"),
    },
    {
      id: "filter-in-text",
      title: "the same, in the middle of the answer",
      lasting: blocked("content-filter-in-text"),
    },
    {
      id: "rule-no-tools",
      title: "a provider that has come to take no tool calls in a history",
      lasting: (provider: StrictProvider) => provider.enforce(noToolBlocksAtAll()),
    },
    {
      id: "rule-short-results",
      title: "a provider that has come to take no result over 10 characters",
      lasting: (provider: StrictProvider) => provider.enforce(noToolResultOver(10)),
    },
  ].map((scenario) => ({ ...scenario, steps: () => [] })),
];

/** The measured faults, which are those of Anthropic's API, and what a provider may hold against a history for good. */
export const MEASURED: readonly Scenario[] = ANTHROPIC.map((scenario) => ({ ...scenario, api: "anthropic-messages" }));

/**
 * Every form in which an API says that something was filtered or refused; what is among the measured faults already is
 * left out.
 */
export function filterScenarios(api: ModelApi): Scenario[] {
  const measured = new Set<FaultName>(
    api === "anthropic-messages" ? ["content-filter-in-tool", "content-filter-400", "refusal-with-tool"] : [],
  );
  return contentFilterForms(api)
    .filter(({ form }) => !measured.has(form.fault))
    .map(({ name, form }) => ({
      id: form.text === "" ? `${form.fault}-silent` : form.fault,
      title: name,
      api,
      // With a call in it, a form is another one where it brings none of its own.
      steps: (trace) => [
        {
          kind: "fault",
          ...form,
          ...(CALLING.has(form.fault) ? { calls: [tracedCall(trace)] } : {}),
          times: EVERY_ATTEMPT,
        },
        LATE,
      ],
    }));
}

const CALLING = new Set<FaultName>([
  "content-filter-in-tool",
  "content-filter-after-tool",
  "refusal-with-tool",
  "refusal-with-half-tool",
]);
