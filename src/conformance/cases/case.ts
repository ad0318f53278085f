/** What a case is, as data: what an agent is given, what the model answers, when it is killed, what is expected. */
import type { JsonObject } from "../../transcript/json/json.ts";
import type { Form } from "./forms.ts";

/** Another number where a program has to read cases, the agent's input or the report differently. */
export const VERSION = 1;

/**
 * - `healthy`: a valid conversation of this project's, which is to be sent as it is.
 * - `recorded`: the same, of a request that a real provider has answered.
 * - `damaged`: a stored history that providers refuse.
 * - `broken`: an answer that breaks, then a further question.
 * - `killed`: a kill in a turn with calls, then a further question.
 */
export type Kind = "healthy" | "recorded" | "damaged" | "broken" | "killed";

/** A tool that the agent offers to the model, by JSON Schema. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** A call as the model makes it. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What the model answers: calls, a text, or a fault of the provider's (an answer that breaks). */
export type Answer =
  | { readonly calls: readonly ToolCall[] }
  | { readonly text: string }
  | {
      readonly fault: "drop-in-tool" | "end-in-tool" | "content-filter-after-tool";
      readonly calls: readonly ToolCall[];
    };

/**
 * When the agent is killed in a turn of two calls.
 * - `in_answer`: the answer with the calls is not complete.
 * - `called`: a tool was called and has not acted.
 * - `acted`: the first has acted and has not returned; the second has not acted.
 * - `one_returned`: the first has returned, the second was called and has not acted.
 * - `last_acted`: both have acted, the last has not returned.
 * - `returned`: both have returned, and the next request was made.
 * - `asked`: the first request of the turn was made.
 */
export type KillAt = "in_answer" | "called" | "acted" | "one_returned" | "last_acted" | "returned" | "asked";

/** One question, answered in one run of the agent. */
export interface Turn {
  readonly question: string;
  /** One for each request; the last one again for further requests. */
  readonly answers: readonly Answer[];
  readonly kill?: KillAt;
  /** The agent may end with an error, because the provider's answer breaks. */
  readonly mayFail?: true;
}

/**
 * A part of a conversation in no form of anybody's. A result names the call that it answers by its place among calls.
 */
export type Item =
  | { readonly kind: "user" | "assistant"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly arguments: unknown }
  | { readonly kind: "result"; readonly call: number | null; readonly text: string };

/** What the last accepted request of the last turn has to be like. */
export interface Expected {
  /** Texts that it contains. */
  readonly words: readonly string[];
  /** Its conversation, of a valid history: system prompts, ids and the kind of blocks are left to the agent. */
  readonly items?: readonly Item[];
  /** Calls of the history without a result: nobody knows whether they ran, so neither may be said. */
  readonly open_calls: readonly ToolCall[];
}

/** A case. */
export interface TestCase {
  readonly version: typeof VERSION;
  readonly id: string;
  readonly kind: Kind;
  readonly about: string;
  readonly form: Form;
  /** The conversation before the first question; absent where there is none. */
  readonly history?: readonly JsonObject[];
  readonly tools: readonly Tool[];
  readonly turns: readonly Turn[];
  readonly expect: Expected;
}

/** What the agent is given for a turn. */
export interface AgentInput {
  readonly version: typeof VERSION;
  /** Id of the case. */
  readonly case: string;
  /** Names the conversation: the turns of a case are of one, and no other run has it. */
  readonly session: string;
  readonly form: Form;
  /** Absent: the agent continues what it has stored of the session, which may be nothing. */
  readonly history?: readonly JsonObject[];
  readonly question: string;
  readonly tools: readonly Tool[];
  /** Where the model is: the APIs under their own paths. */
  readonly provider_url: string;
  /** Where a tool acts: POST `{ "name", "arguments" }`; the answer's text is the tool's result. */
  readonly tools_url: string;
  /** A folder for what the agent stores; the same for all turns of a case. */
  readonly state: string;
}
