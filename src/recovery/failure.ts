import type { RouteFact } from "./route-fact.ts";

/** The reason why a provider refused a history. */
export type HistoryProblem =
  /** A call without its result, a result without its call, either in the wrong place. */
  | "tool_pairing"
  /** An id of a call, result or item: used twice, too long, empty, with characters that the API does not accept. */
  | "tool_id"
  /** Name or arguments of a call, or the content of its result. */
  | "tool_fields"
  /** The roles of messages: the first, the last, or two neighbours. */
  | "role_order"
  /** A message or block without content. */
  | "empty_content"
  /** Thinking, its signature, or reasoning items and the items that belong to them. */
  | "thinking"
  /** An image or document: too large, of a wrong form. */
  | "image"
  /** Pictures, whatever they are, or lists in place of text: the route takes none. */
  | "media"
  /** More images or documents than one request may have. */
  | "too_many_images"
  /** Something that the route does not take, whatever the history: a role, a document. */
  | "route"
  /** A block, message or field of a form that the API does not accept. */
  | "block_form"
  /** The request is larger than the route takes. */
  | "size"
  /** The history as a whole, or a request refused without a reason. */
  | "unspecified";

/** What a content filter stopped, as far as the provider reports it. */
export type FilteredPart = "prompt" | "answer" | "refusal" | "unknown";

/** What a provider's error is about, and what it tells of its route. */
export type ProviderFailure = Failure & {
  /** What the error says, in known words, that the route does not take; none where it is missing. */
  readonly teaches?: readonly RouteFact[];
};

type Failure =
  /**
   * The history in the request. `message` is the index in the body's `messages`, `input` or `contents`; `block` the one
   * in that message's content or parts, or in its `tool_calls` where the provider names those; `ids` all ids that the
   * error names. `isTooLarge`: an image is refused for its size.
   */
  | {
      kind: "history";
      problem: HistoryProblem;
      message?: number;
      block?: number;
      ids: readonly string[];
      isTooLarge?: boolean;
    }
  /** A stop: `part` is what the content filter stopped, or `refusal` when the model itself refused. */
  | { kind: "content_filter"; part: FilteredPart }
  /** Rate limits, 5xx, overload, the connection: the same request may work later. */
  | { kind: "overload" }
  /** The request as a whole is too long; OpenClaw's compaction handles that. */
  | { kind: "size" }
  /** Keys, permissions, quota, billing, an unknown model. */
  | { kind: "access" }
  /**
   * The request was refused because of its content, in unknown words: the history may be the reason, and a part of it
   * may be suspected.
   */
  | { kind: "unknown"; suspect?: HistoryProblem }
  /**
   * Anything else: tools, parameters, the model's abilities, an abort. `isRefused`: the status says
   * that the request was refused, or the error hides its status; then the words may mislead. `isElsewhere`: a field of
   * the error names another part of the request.
   */
  | { kind: "other"; isRefused?: boolean; isElsewhere?: boolean };

/** A provider's error as OpenClaw reports it. */
export interface ProviderError {
  /** The text, including the provider's answer: prose, JSON, JSON in JSON. */
  text: string;
  /** The HTTP status, where it is known separately from the text. */
  status?: number;
  /** The provider's machine-readable code and type, where they are known separately from the text. */
  code?: string;
  type?: string;
  /** The adapter leaves the status out of errors that are not in the API's own form: none says nothing then. */
  hidesStatus?: boolean;
}
