/** What about the history a provider refused. */
export type HistoryProblem =
  /** A call without its result, a result without its call, either in the wrong place. */
  | "tool_pairing"
  /** An id of a call, result or item: used twice, too long, empty, of characters that the API does not take. */
  | "tool_id"
  /** Name or arguments of a call, or what its result holds. */
  | "tool_fields"
  /** Who speaks first, last or after whom. */
  | "role_order"
  /** A message or block with nothing in it. */
  | "empty_content"
  /** Thinking, its signature, or reasoning items and what belongs to them. */
  | "thinking"
  /** An image or document: too large, too many, of a wrong form. */
  | "image"
  /** A block, message or field of a form that the API does not take. */
  | "block_form"
  /** The history, or a request that says nothing of what is wrong with it. */
  | "unspecified";

/** What a content filter stopped, as far as the provider says so. */
export type FilteredPart = "prompt" | "answer" | "refusal" | "unknown";

/** What a provider's error is about. */
export type ProviderFailure =
  /**
   * The history in the request. `message` is the index in the body's `messages`, `input` or `contents`; `block` the one
   * in that message's content or parts, or in its `tool_calls` where the provider names those; `ids` all ids that the
   * error names.
   */
  | { kind: "history"; problem: HistoryProblem; message?: number; block?: number; ids: readonly string[] }
  /** A filter, or the model's own refusal (`refusal`); otherwise `part` is what the filter stopped. */
  | { kind: "content_filter"; part: FilteredPart }
  /** Rate limits, 5xx, overload, the connection: the same request may work later. */
  | { kind: "overload" }
  /** The request as a whole is too long; OpenClaw's compaction owns that. */
  | { kind: "size" }
  /** Keys, permissions, quota, billing, an unknown model. */
  | { kind: "access" }
  /** The request was refused for what is in it, in words that nobody knows: it may be the history. */
  | { kind: "unknown" }
  /** Anything else: tools, parameters, the model's abilities, an abort. */
  | { kind: "other" };

/** A provider's error as OpenClaw leaves it. */
export interface ProviderError {
  /** The text, with the provider's answer in it as it came: prose, JSON, JSON in JSON. */
  text: string;
  /** The HTTP status, where it is known apart from the text. */
  status?: number;
  /** The provider's machine-readable code and type, where they are known apart from the text. */
  code?: string;
  type?: string;
}
