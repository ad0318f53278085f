import type { Api, ApiAdapter, Failure, FaultName, Mark, OwnFailure, StopKind } from "./types.ts";

/** What the server does with an accepted request. */
export type Plan =
  /** An answer, ending as `stop` says (in the API's own word `reason`), or as its blocks ask for. */
  | { do: "answer"; says: Says; stop?: StopKind; reason?: string; text?: string }
  /** An answer cut behind its last `mark`, then an error, a dropped connection, a clean end, or silence. */
  | { do: "cut"; mark: Mark; outcome: Outcome; failed?: true }
  | { do: "error"; failure: Failure | OwnFailure }
  | { do: "reject"; text: keyof ApiAdapter["rejections"] }
  | { do: "prompt-blocked"; reason: string }
  | { do: "hang" };

/** What an answer holds when the step does not say it. */
export type Says = "text" | "refusal" | "tool" | "half-tool" | "nothing";

/** How a stream ends that was cut; an error may also be the answer's own end (`failed`, Responses). */
export type Outcome = Failure | OwnFailure | "rejection" | "drop" | "end" | "hang";

/** Every fault of the measured list (and what the other APIs have in its place). */
export const FAULTS: Record<FaultName, Plan> = {
  "content-filter-in-tool": { do: "cut", mark: "in-tool", outcome: "content-filter" },
  "content-filter-after-tool": { do: "cut", mark: "after-tool", outcome: "content-filter" },
  "drop-in-tool": { do: "cut", mark: "in-tool", outcome: "drop" },
  "drop-after-tool": { do: "cut", mark: "after-tool", outcome: "drop" },
  "content-filter-400": { do: "error", failure: "content-filter" },
  "refusal-with-tool": { do: "answer", says: "tool", stop: "refusal" },
  "overloaded-mid-stream": { do: "cut", mark: "in-tool", outcome: "overloaded" },
  // The same, but never more than once, whatever `times` says: the retry is answered.
  "overloaded-once": { do: "cut", mark: "in-tool", outcome: "overloaded" },
  "end-in-tool": { do: "cut", mark: "in-tool", outcome: "end" },
  "400-unexpected-tool-use-id": { do: "reject", text: "unexpectedResult" },
  "400-roles-alternate": { do: "reject", text: "rolesAlternate" },
  "400-missing-tool-result": { do: "reject", text: "missingResult" },
  "http-401": { do: "error", failure: "auth" },
  "http-429": { do: "error", failure: "rate-limit" },
  "http-500": { do: "error", failure: "server" },
  "http-529": { do: "error", failure: "overloaded" },
  "finish-content-filter": { do: "answer", says: "text", stop: "content-filter" },
  "prompt-blocked": { do: "prompt-blocked", reason: "PROHIBITED_CONTENT" },
  hang: { do: "hang" },
  "hang-in-tool": { do: "cut", mark: "in-tool", outcome: "hang" },
  "content-filter-at-start": { do: "cut", mark: "start", outcome: "content-filter" },
  "content-filter-in-text": { do: "cut", mark: "in-text", outcome: "content-filter" },
  "refusal-with-text": { do: "answer", says: "text", stop: "refusal" },
  "refusal-with-half-tool": { do: "answer", says: "half-tool", stop: "refusal" },
  "refusal-empty": { do: "answer", says: "nothing", stop: "refusal" },
  "invalid-prompt-400": { do: "error", failure: "invalid-prompt" },
  "refusal-part": { do: "answer", says: "refusal", text: "I'm sorry, but I cannot assist with that request." },
  "response-failed": { do: "cut", mark: "in-text", outcome: "invalid-prompt", failed: true },
  "response-failed-at-start": { do: "cut", mark: "start", outcome: "invalid-prompt", failed: true },
  "finish-prohibited-content": { do: "answer", says: "text", stop: "content-filter", reason: "PROHIBITED_CONTENT" },
  "finish-recitation": { do: "answer", says: "text", stop: "content-filter", reason: "RECITATION" },
  "finish-blocklist": { do: "answer", says: "text", stop: "content-filter", reason: "BLOCKLIST" },
  "prompt-blocked-safety": { do: "prompt-blocked", reason: "SAFETY" },
  "prompt-blocked-blocklist": { do: "prompt-blocked", reason: "BLOCKLIST" },
  // A proxy that has answered 200 before it looked.
  "rejection-at-start": { do: "cut", mark: "start", outcome: "rejection" },
  "finish-guardrail": {
    do: "answer",
    says: "text",
    stop: "content-filter",
    reason: "guardrail_intervened",
    text: "Sorry, the model cannot answer this question.",
  },
};

const OPENAI: readonly Api[] = ["openai-completions", "openai-responses"];
const GEMINI: readonly Api[] = ["google-generative-ai"];

/** The APIs of a fault that not all have. */
export const FAULT_APIS: Partial<Record<FaultName, readonly Api[]>> = {
  "invalid-prompt-400": OPENAI,
  "refusal-part": OPENAI,
  "response-failed": ["openai-responses"],
  "response-failed-at-start": ["openai-responses"],
  "finish-prohibited-content": GEMINI,
  "finish-recitation": GEMINI,
  "finish-blocklist": GEMINI,
  "prompt-blocked-safety": GEMINI,
  "prompt-blocked-blocklist": GEMINI,
  "finish-guardrail": ["bedrock-converse-stream"],
};

/** The plan of a fault; throws if `api` has no such fault. */
export function faultOn(api: Api, fault: FaultName): Plan {
  const apis = FAULT_APIS[fault];
  if (apis !== undefined && !apis.includes(api)) {
    throw new Error(
      `Fault "${fault}" exists on ${apis.join(" and ")}; found a request of ${api}. Script it with \`api\`, or choose another.`,
    );
  }
  return FAULTS[fault];
}

/** The call that a fault breaks when the step names none. */
export const FAULT_CALL = { name: "exec", arguments: { command: "echo one two three four five six seven eight" } };
