import { ADAPTERS, type Api, type FrontAnswer } from "../../harness/providers/index.ts";

interface Words {
  readonly status?: number;
  readonly message: string;
  readonly code?: string;
  readonly path?: string;
}

/** A refusal in the envelope of an API. */
export function refusal(api: Api, { status = 400, ...words }: Words): FrontAnswer {
  const adapter = ADAPTERS.find((one) => one.api === api)!;
  return { status, ...adapter.errorBody({ status, kind: "invalid", ...words }) };
}

/** Returns what an API says of a request of `had` tokens where it takes `limit`. */
export function tooManyTokens(api: Api, had: number, limit: number): FrontAnswer {
  switch (api) {
    case "anthropic-messages":
      return refusal(api, { message: `prompt is too long: ${had} tokens > ${limit} maximum` });
    case "openai-completions":
      return refusal(api, {
        message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${had} tokens. Please reduce the length of the messages.`,
        code: "context_length_exceeded",
        path: "messages",
      });
    case "openai-responses":
      return refusal(api, {
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        code: "context_length_exceeded",
        path: "input",
      });
    case "google-generative-ai":
      return refusal(api, {
        message: `The input token count (${had}) exceeds the maximum number of tokens allowed (${limit}).`,
      });
    case "bedrock-converse-stream":
      return refusal(api, { message: "Input is too long for requested model." });
  }
}

function page(server: string): FrontAnswer {
  const title = "413 Request Entity Too Large";
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>${server}</center>\r\n</body>\r\n</html>\r\n`;
  return { status: 413, contentType: "text/html", body };
}

/** Returns what an API, or the server before it, says of a body of more than `limit` bytes. */
export function tooManyBytes(api: Api, limit: number): FrontAnswer {
  switch (api) {
    case "anthropic-messages": {
      const error = { type: "request_too_large", message: "Request exceeds the maximum size" };
      return { status: 413, body: { type: "error", error } };
    }
    case "openai-completions":
      return page("openresty");
    case "openai-responses":
      return page("cloudflare");
    case "google-generative-ai":
      return refusal(api, { message: `Request payload size exceeds the limit: ${limit} bytes.` });
    case "bedrock-converse-stream":
      return { status: 413, body: { message: "Request Entity Too Large" } };
  }
}

/** The APIs that limit the characters of one text. */
export const TEXT_LIMITED: readonly Api[] = ["openai-completions", "openai-responses"];

/** Returns what an API says of the first text in its body that has more than `limit` characters. */
export function tooLongText(api: Api, body: Record<string, unknown>, limit: number): FrontAnswer | undefined {
  if (!TEXT_LIMITED.includes(api)) return undefined;
  const list = api === "openai-responses" ? "input" : "messages";
  for (const [at, item] of (body[list] as Record<string, unknown>[]).entries()) {
    const had = longestText(item);
    if (had <= limit) continue;
    const field = item["type"] === "function_call_output" ? "output" : "content";
    const path = `${list}[${at}].${field}${Array.isArray(item[field]) ? "[0].text" : ""}`;
    return refusal(api, {
      message: `Invalid '${path}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${had} instead.`,
      code: "string_above_max_length",
      path,
    });
  }
  return undefined;
}

function longestText(item: unknown): number {
  let longest = 0;
  JSON.stringify(item, (_, value: unknown) => {
    if (typeof value === "string") longest = Math.max(longest, value.length);
    return value;
  });
  return longest;
}
