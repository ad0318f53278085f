import type { IncomingHttpHeaders } from "node:http";

/** The provider APIs that the strict server speaks. */
export type Api =
  | "anthropic-messages"
  | "openai-completions"
  | "openai-responses"
  | "google-generative-ai"
  | "bedrock-converse-stream";

export const APIS: readonly Api[] = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "bedrock-converse-stream",
];

export type JsonObject = { [key: string]: unknown };

/** One broken rule, in the words of the API that would refuse it. */
export interface Violation {
  status: 400;
  message: string;
  /** Where in the body, in the API's own spelling; "" for the body as a whole. */
  path: string;
  /** OpenAI's machine-readable code, where it has one. */
  code?: string;
}

/** What a validator cannot read from the body: Gemini and Bedrock put the model into the URL. */
export interface RuleContext {
  model?: string;
  /** Whose server is played; the API's maker's own where it is not said. */
  host?: string;
}

export interface ToolCallSpec {
  id?: string;
  name: string;
  arguments: unknown;
}

/** Names of the faults, each in the form of each API (see faults.ts). */
export type FaultName =
  | "content-filter-in-tool"
  | "content-filter-after-tool"
  | "drop-in-tool"
  | "drop-after-tool"
  | "content-filter-400"
  | "refusal-with-tool"
  | "overloaded-mid-stream"
  | "overloaded-once"
  | "end-in-tool"
  | "400-unexpected-tool-use-id"
  | "400-roles-alternate"
  | "400-missing-tool-result"
  | "http-401"
  | "http-429"
  | "http-500"
  | "http-529"
  | "finish-content-filter"
  | "prompt-blocked"
  | "hang"
  | "hang-in-tool"
  | "content-filter-at-start"
  | "content-filter-in-text"
  | "refusal-with-text"
  | "refusal-with-half-tool"
  | "refusal-empty"
  // The following exist on some APIs only (FAULT_APIS).
  | "invalid-prompt-400"
  | "refusal-part"
  | "response-failed"
  | "response-failed-at-start"
  | "finish-prohibited-content"
  | "finish-recitation"
  | "finish-blocklist"
  | "prompt-blocked-safety"
  | "prompt-blocked-blocklist"
  | "rejection-at-start"
  | "finish-guardrail";

/** A fault played in a blocked request's place. */
export interface BlockForm {
  fault: FaultName;
  calls?: ToolCallSpec[];
  text?: string;
}

interface StepOptions {
  /** Only for requests of this API; without it the step serves any. */
  api?: Api;
  /** How often the step is used before it is spent (default 1; Infinity = until reset). */
  times?: number;
  /** Milliseconds between two pieces of a stream (default 0: all at once). */
  pace?: number;
  /** In how many pieces a streamed text comes (default 2). */
  pieces?: number;
  /** How many tokens the request had, by the provider's count (default 100). */
  inputTokens?: number;
}

/** What the provider does with the next accepted request. A text that `isCutOff` ends at the limit of its tokens. */
export type Step = StepOptions &
  (
    | { kind: "text"; text: string; thinking?: string; isCutOff?: true }
    | { kind: "tool"; calls: ToolCallSpec[]; text?: string; thinking?: string }
    | { kind: "fault"; fault: FaultName; calls?: ToolCallSpec[]; text?: string; thinking?: string }
  );

/** A rule that no API has: checked behind the API's own rules while it is enforced. */
export interface ExtraRule {
  name: string;
  /** The refusal of `body`, in the words of `api`, or undefined if the rule is kept. Pure. */
  check(api: Api, body: unknown): Violation | undefined;
}

/** A request that has come in, as a front sees it. */
export interface FrontRequest {
  api: Api;
  body: JsonObject;
  raw: string;
  model: string;
  /** How many the front has seen before it. */
  nth: number;
}

/** What a front says in the provider's place, as it is: an error, or a stream that has nothing in it. */
export interface FrontAnswer {
  status: number;
  /** A text is sent as it is, anything else as JSON. */
  body: unknown;
  /** `application/json` by default. */
  contentType?: string;
  /** More headers. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * An endpoint that looks at a request before the API does, with rules, statuses and words of its own, or with the step
 * that answers this request where it breaks no rule of the API.
 */
export type Front = (request: FrontRequest) => FrontAnswer | Step | undefined;

/**
 * What refused a request: the front, a rule of the API (by its path in the body), an extra rule, a blocked text, a
 * scripted fault.
 */
export interface Refusal {
  by: "front" | "api" | "extra-rule" | "blocked-text" | "fault";
  name: string;
}

export interface RecordedRequest {
  api: Api | "unknown";
  path: string;
  headers: IncomingHttpHeaders;
  /** The parsed JSON; undefined if it was none. */
  body: unknown;
  raw: string;
  /** Hash of what the model would read (see fingerprint.ts); "" if the body is no JSON. */
  fingerprint: string;
  /** The HTTP status answered; 0 while (or if never) answered. */
  status: number;
  /** The error text sent, also one sent inside a stream. */
  error?: string;
  /** Texts of all rules the body broke; the first one was the answer. */
  violations: string[];
  /** The fault played on this request. */
  fault?: FaultName;
  /** Which rule, filter or fault stood in the way; absent for a request that was answered. */
  refusedBy?: Refusal;
  at: number;
}

export interface StrictProvider {
  /** http://127.0.0.1:PORT */
  url: string;
  /** Everything received, in order. */
  requests: RecordedRequest[];
  /** Queues steps; each is used by one accepted request of its API. A refused request uses none. */
  script(...steps: Step[]): void;
  /** Adds a rule to those of the API, until relax(); several may be in force. */
  enforce(rule: ExtraRule): void;
  /** Drops all extra rules. */
  relax(): void;
  /**
   * Puts an endpoint before the API's own rules, or takes it away. What it answers uses no scripted step; what is no
   * step counts as refused by it.
   */
  front(front: Front | undefined): void;
  /**
   * Blocks every request whose conversation (system prompt and tool definitions left out) contains `text`, in the form
   * of `form` (default: the content filter's 400), until unblock(). Blocked requests use no scripted step.
   */
  block(text: string, form?: BlockForm): void;
  /** Lets `text` through again, or every text. */
  unblock(text?: string): void;
  /**
   * Forgets requests, script, front, extra rules and blocked texts. Ids of tool calls go on counting: a session may
   * outlive a reset.
   */
  reset(): void;
  close(): Promise<void>;
}

export type AnswerBlock =
  | { type: "thinking"; thinking: string; serial: number }
  /** `pieces`: the same text as it is streamed; `refusal`: said in the field that OpenAI's APIs have for it. */
  | { type: "text"; text: string; pieces: string[]; serial: number; refusal?: true }
  /** `cut`: the model was stopped inside the arguments, which are then a text that is no JSON. */
  | { type: "tool"; id: string; name: string; arguments: unknown; serial: number; cut?: true };

export type StopKind = "stop" | "tool" | "refusal" | "content-filter" | "length";

/** A model's answer before it is put into an API's form. */
export interface Answer {
  /** Number of the answer, the n of every id in it. */
  n: number;
  model: string;
  blocks: AnswerBlock[];
  stop: StopKind;
  /** The API's own word for why it stopped, where `stop` stands for several. */
  reason?: string;
  /** How many tokens the request had. */
  inputTokens: number;
}

/** Points of a stream where a fault can cut it. */
export type Mark = "start" | "in-text" | "in-tool" | "after-tool";

/** One piece of a streamed answer. */
export interface Frame {
  data: string | Buffer;
  mark?: Mark;
}

/** What goes wrong with a provider rather than with the request. */
export type Failure = "content-filter" | "auth" | "rate-limit" | "server" | "overloaded";

/** Failures that only some APIs have. */
export type OwnFailure = "invalid-prompt";

/** An error before it is put into an API's envelope. */
export interface ProviderError {
  status: number;
  kind: "invalid" | Failure;
  message: string;
  path?: string;
  code?: string;
}

export interface FailureText {
  status: number;
  message: string;
  code?: string;
}

/** One API's half of the server: how it is addressed, how it answers, how it fails. */
export interface ApiAdapter {
  api: Api;
  /** Reads a request's path; undefined if it is another API's. */
  match(url: URL): { model?: string; streamed?: boolean } | undefined;
  /** Content type of a streamed answer. */
  contentType: string;
  /** A new id for a tool call. */
  toolId(serial: number, model: string): string;
  /** Whether calls arrive whole or not at all. */
  wholeCalls(model: string): boolean;
  /** A streamed answer, piece by piece. */
  frames(answer: Answer): Frame[];
  /** The answer as one JSON document. */
  whole(answer: Answer): JsonObject;
  /** An error inside a stream that has already begun. */
  errorFrame(error: ProviderError): Frame;
  /** The answer's own end as failed, where the API has such a thing. */
  failedFrame?(answer: Answer, error: ProviderError, sent: number): Frame;
  /** An error instead of an answer. */
  errorBody(error: ProviderError): { headers?: Record<string, string>; body: JsonObject };
  /** A prompt refused by the filter, where the API says so with a 200; elsewhere it is an HTTP 400. */
  promptBlocked?(answer: Answer, reason: string): JsonObject;
  /** Status and text of each failure. */
  failures: Record<Failure, FailureText> & Partial<Record<OwnFailure, FailureText>>;
  /** The 400 texts that a provider may give whatever the history is. */
  rejections: { unexpectedResult: string; rolesAlternate: string; missingResult: string };
}
