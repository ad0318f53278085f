import { startProvider, type FrontAnswer, type FrontRequest, type Step } from "../../harness/providers/index.ts";
import { tooLongText, tooManyBytes, tooManyTokens } from "./refusals.ts";

/** What a request for a summary gets where it is not too large. */
export const SUMMARISERS = ["works", "fails", "refuses", "empty", "shapeless", "page", "cut"] as const;
export type Summariser = (typeof SUMMARISERS)[number];

/** What a provider takes. */
export interface Limits {
  readonly tokens: number;
  /** The same for requests for a summary, where these go to a smaller model. */
  readonly summaryTokens?: number;
  /** Characters of a token, 4 by default. */
  readonly perToken?: number;
  /** Bytes of a body. */
  readonly bytes?: number;
  /** Characters of one text, where the API has such a limit. */
  readonly text?: number;
  readonly summariser: Summariser;
}

/** One request that came. */
export interface Asked {
  readonly isSummary: boolean;
  /** 0 for one that was not answered. */
  readonly status: number;
  /** What a rule of the API says against it that is not about size. */
  readonly broken: string | undefined;
}

/** A strict provider of all APIs that refuses each request of more than it takes, in the words of its API. */
export interface LimitedProvider {
  readonly url: string;
  /** Changes what it takes. */
  limit(limits: Limits): void;
  /** The requests since this was last called. */
  takeAsked(): Asked[];
  close(): Promise<void>;
}

/** Tokens of a picture, whatever its bytes. */
const PICTURE_TOKENS = 1600;

/** Data of pictures in base64; no text here is so long without a space. */
const PICTURE = /[\w+/=]{1000,}/g;

const SUMMARY =
  "## Goal\nTo talk.\n\n## Decisions\nNone.\n\n## Open TODOs\nNone.\n\n## Constraints/Rules\nNone.\n\n## Pending user asks\nNone.\n\n## Exact identifiers\nNone.\n";

/** As much of one as a model has written when its tokens are spent. */
const CUT_SUMMARY = `## Goal\n${"They talked about rivers, herons and rain. ".repeat(40)}\n\n## Decisions\nThe heron`;

/** Starts one. */
export async function startLimited(limits: Limits): Promise<LimitedProvider> {
  const provider = await startProvider();
  const limit = (next: Limits): void => provider.front((request) => answerTo(request, next));
  limit(limits);
  return {
    url: provider.url,
    limit,
    takeAsked: () =>
      provider.requests.splice(0).map(({ body, status, refusedBy, error }) => ({
        isSummary: isForSummary(body as Record<string, unknown>),
        status,
        broken: refusedBy?.by === "api" ? error : undefined,
      })),
    close: () => provider.close(),
  };
}

function answerTo({ api, body, raw, nth }: FrontRequest, limits: Limits): FrontAnswer | Step {
  const isSummary = isForSummary(body);
  const { tokens: limit, bytes = Infinity, text = Infinity, perToken = 4, summaryTokens = limit } = limits;
  if (Buffer.byteLength(raw) > bytes) return tooManyBytes(api, bytes);
  const long = tooLongText(api, body, text);
  if (long) return long;
  const words = raw.replaceAll(PICTURE, "");
  const pictures = words.length === raw.length ? 0 : raw.match(PICTURE)!.length;
  const inputTokens = Math.ceil(words.length / perToken) + pictures * PICTURE_TOKENS;
  const most = isSummary ? summaryTokens : limit;
  if (inputTokens > most) return tooManyTokens(api, inputTokens, most);
  return isSummary
    ? answerSummary(limits.summariser, inputTokens)
    : { kind: "text", text: `accepted ${nth}`, inputTokens };
}

function answerSummary(summariser: Summariser, inputTokens: number): FrontAnswer | Step {
  switch (summariser) {
    case "works":
      return { kind: "text", text: SUMMARY, inputTokens };
    case "fails":
      return { kind: "fault", fault: "content-filter-400" };
    case "refuses":
      return { kind: "text", text: "I'm sorry, but I can't help with that.", inputTokens };
    case "empty":
      return { kind: "text", text: "", inputTokens };
    case "shapeless":
      return { kind: "text", text: "The two of them talked about rivers, and it went well.", inputTokens };
    case "cut":
      return { kind: "text", text: CUT_SUMMARY, inputTokens, isCutOff: true };
    case "page":
      return { status: 200, contentType: "text/html", body: "<html><body>Please try again later.</body></html>" };
  }
}

/** OpenClaw's request for a summary says so in its system prompt, or, without tools, in its last words. */
function isForSummary(body: Record<string, unknown>): boolean {
  const list = (body["messages"] ?? body["input"] ?? body["contents"] ?? []) as { role?: string }[];
  const first = list.filter(({ role }) => role === "system" || role === "developer");
  const system = JSON.stringify([body["system"], body["instructions"], body["systemInstruction"], first]);
  if (/summari[sz]ation assistant|context summar/i.test(system)) return true;
  const hasTools = ((body["tools"] as unknown[] | undefined) ?? []).length > 0 || body["toolConfig"] !== undefined;
  return !hasTools && /structured context checkpoint|summari[sz]e/i.test(JSON.stringify(list).slice(-6000));
}
