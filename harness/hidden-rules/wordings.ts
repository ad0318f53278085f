import { wrapError } from "../played/envelopes.ts";
import type { Api, FrontAnswer } from "../providers/index.ts";
import type { Random } from "./random.ts";

export const STATUSES = [400, 400, 400, 404, 409, 415, 422, 500, 502, 503];

/** Sentences of real endpoints, known ones and such that nobody has heard, whatever the rule is. */
const SENTENCES = [
  "Invalid request",
  "Bad Request",
  "Request contains an invalid argument.",
  "The request could not be processed.",
  "Input validation error",
  "this model does not support image input",
  "Conversation roles must alternate user/assistant/user/assistant/...",
  "unexpected `tool_use_id` found in `tool_result` blocks",
  "messages 参数非法",
  "Extra inputs are not permitted",
  "Upstream error, please try again",
  "The plumage of this request is not to our liking",
  "Internal server error",
  "Value error, item is not allowed here",
  "No endpoints found that support the requested parameters",
];

const PAGE = "<html><head><title>Error</title></head><body><h1>Something went wrong</h1></body></html>";

/** How an endpoint refuses: the status, the words, and whether it says where. */
export interface Wording {
  name: string;
  says(api: Api, path: string): FrontAnswer;
}

export function randomWording(random: Random): Wording {
  const status = random.one(STATUSES);
  const kind = random.upTo(10);
  if (kind === 0) return { name: `${status}, a page`, says: () => ({ status, body: PAGE, contentType: "text/html" }) };
  if (kind === 1) return { name: `${status}, no words`, says: () => ({ status, body: "", contentType: "text/plain" }) };
  const sentence = random.one(SENTENCES);
  const isPlaced = random.oneIn(3);
  return {
    name: `${status} "${sentence}"${isPlaced ? ", with the place" : ""}`,
    says: (api, path) =>
      wrapError(api, status, isPlaced && path !== "" ? `${writePath(api, path)}: ${sentence}` : sentence),
  };
}

function writePath(api: Api, path: string): string {
  const list = api === "openai-responses" ? "input" : api === "google-generative-ai" ? "contents" : "messages";
  if (!api.startsWith("openai") && api !== "google-generative-ai") return `${list}.${path}`;
  return `${list}.${path}`.replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");
}
