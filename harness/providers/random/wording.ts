import type { Random } from "../../random.ts";
import { CARDS } from "../../rules/index.ts";
import { ADAPTERS } from "../../../src/providers/index.ts";
import type { Api, FrontAnswer } from "../../../src/providers/index.ts";
import type { Part } from "./parts.ts";

/** In which words and which form a random provider refuses. */
export interface Wording {
  status: number;
  /** What the words are. "empty" and "page" are sent as they are, without envelope and place. */
  kind: "unknown" | "history" | "pictures" | "filter" | "load" | "empty" | "page";
  /** The provider's words; empty where it has none. */
  words: string;
  envelope: "api" | "plain" | "detail" | "message";
  /**
   * Where the words say that the fault is: at its place, at another one, or nowhere. With a single message, "wrong" names
   * that message and its first block.
   */
  place: "right" | "wrong" | "none";
}

const STATUSES = [400, 400, 400, 400, 404, 409, 415, 418, 422, 422, 500, 500, 501, 502, 503];

/** Words that no list of known errors has. */
const UNKNOWN = [
  "The frobnicator of this deployment is displeased.",
  "Invalid payload shape",
  "Bad Request",
  "Unprocessable Entity",
  "Something went wrong.",
  "upstream rejected the call",
  "json: cannot unmarshal object into Go value of type string",
  "Value error, assertion failed",
  "请求参数错误",
  "Validation failed: code E-7714",
  "Ungültige Anfrage",
  "An error occurred while processing your request.",
  "request could not be handled by backend shard 12",
  "unwelcome payload",
  "The request was rejected by policy rule #8831.",
  "status_code=INVALID, reason=see operator log",
];

/** What providers say of pictures. */
const PICTURES = [
  "this model does not support image input",
  "No endpoints found that support image input",
  "At most 0 image(s) may be provided in one prompt.",
  "Could not process image",
];

/** What content filters say. */
const FILTER = [
  "Output blocked by content filtering policy",
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
];

/** What a provider says that has too much to do. */
const LOAD = ["Overloaded", "The model is overloaded. Please try again later.", "Service temporarily unavailable"];

const PAGE =
  "<html>\r\n<head><title>Refused</title></head>\r\n<body>\r\n<center><h1>Refused</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";

/** The wording of a provider, by the random choices. */
export function randomWording(random: Random, api: Api): Wording {
  const status = random.pick(STATUSES);
  const envelope = random.pick(["api", "api", "api", "plain", "detail", "message"] as const);
  const place = random.pick(["right", "right", "none", "none", "none", "wrong"] as const);
  const roll = random.real();
  if (roll < 0.45) return { status, kind: "unknown", words: random.pick(UNKNOWN), envelope, place };
  if (roll < 0.65) {
    const known = CARDS.filter((card) => card.api === api && card.error !== "");
    return { status, kind: "history", words: random.pick(known).error, envelope, place };
  }
  if (roll < 0.73) return { status, kind: "pictures", words: random.pick(PICTURES), envelope, place };
  if (roll < 0.78) return { status, kind: "filter", words: random.pick(FILTER), envelope, place: "none" };
  if (roll < 0.83) return { status, kind: "load", words: random.pick(LOAD), envelope, place: "none" };
  if (roll < 0.92) return { status, kind: "empty", words: "", envelope: "plain", place: "none" };
  return { status, kind: "page", words: "", envelope: "plain", place: "none" };
}

const PATHS: Record<Api, (message: number, block: number) => string> = {
  "anthropic-messages": (message, block) => `messages.${message}.content.${block}`,
  "openai-completions": (message, block) => `messages[${message}].content[${block}]`,
  "openai-responses": (message, block) => `input[${message}].content[${block}]`,
  "google-generative-ai": (message, block) => `contents[${message}].parts[${block}]`,
  "bedrock-converse-stream": (message, block) => `messages.${message}.content.${block}`,
};

// The SDKs then try again at once and not in half a second; how often they do stays as it is.
const AT_ONCE = { "retry-after-ms": "1" };

/** The refusal of a part (or of a whole request) of a body with so many messages. */
export function refusalIn(
  wording: Wording,
  api: Api,
  { breach, messages }: { breach: Part | "whole"; messages: number },
): FrontAnswer {
  const { status, kind, words, envelope } = wording;
  const says = (body: unknown, contentType: string): FrontAnswer => ({ status, body, contentType, headers: AT_ONCE });
  if (kind === "empty") return says("", "text/plain");
  if (kind === "page") return says(PAGE, "text/html");
  const path = writePath(wording, api, breach, messages);
  const message = path === undefined ? words : `${path}: ${words}`;
  if (envelope === "plain") return says(message, "text/plain");
  if (envelope === "detail") return says({ detail: message }, "application/json");
  if (envelope === "message") return says({ message }, "application/json");
  const adapter = ADAPTERS.find((one) => one.api === api)!;
  const error = adapter.errorBody({ status, kind: "invalid", message, ...(path !== undefined && { path }) });
  return { status, body: error.body, headers: { ...AT_ONCE, ...error.headers } };
}

function writePath({ place }: Wording, api: Api, breach: Part | "whole", messages: number): string | undefined {
  if (place === "none" || breach === "whole" || breach.message < 0) return undefined;
  const message = place === "right" ? breach.message : (breach.message + Math.ceil(messages / 2)) % messages;
  return PATHS[api](message, place === "right" ? breach.block : 0);
}
