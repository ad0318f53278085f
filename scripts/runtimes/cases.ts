import { FAULTS, VALID } from "../../harness/lists/faults.ts";
import { makeRequests, RENDER, type Request } from "../../harness/lists/forms.ts";
import type { Api, Front } from "../../harness/providers/index.ts";
import { loadRecorded, RECORDED_APIS } from "../../harness/recorded/recorded.ts";
import { CARDS } from "../../harness/rules/index.ts";
import type { JsonObject } from "../../src/transcript/json/json.ts";

/** A request of a program: the path at the provider, and the body. */
interface Asked {
  readonly path: string;
  readonly body: JsonObject;
}

type Hanging = Readonly<Record<"silent" | "streamed", Asked>>;

/** What a runtime is given, see program.mjs. All of it is JSON. */
export interface Cases {
  readonly lists: readonly (readonly JsonObject[])[];
  readonly bodies: readonly { api: Api; body: JsonObject; options: { model?: string; host?: string } }[];
  readonly damaged: readonly Asked[];
  readonly healthy: readonly Asked[];
  /** Requests that the provider refuses with the words of a real one, until their form is another. */
  readonly refused: readonly Asked[];
  readonly streamed: readonly Asked[];
  /** Requests that are never answered, answers that stop behind the words; `plain` for a fetch that does not heal. */
  readonly hanging: readonly { plain: Hanging; damaged: Hanging; words: string }[];
}

const OWN_FORMS = ["anthropic", "chat", "responses", "gemini", "converse"] as const;
/** Two calls with results and the answer: valid for each API with a further question. */
const ANSWERED = VALID.slice(0, 5);
const DAMAGED = FAULTS["one of two results is missing"]!;
// Words in a request that tell the provider what to do.
/** To refuse the request once, in the words of a real provider. */
export const REFUSED = "REFUSED";
/** Never to answer; to answer with a beginning; to answer in pieces. */
const SILENT = "SILENT";
const HANGING = "HANGING";
const STREAMED = "STREAMED";
const WORDS = "the beginning of an answer";

/** Makes the cases: every fault in every form, every recorded body, every refusal of a known rule. */
export function makeCases(): Cases {
  const histories = [VALID, ...Object.values(FAULTS)];
  const recorded = RECORDED_APIS.flatMap((api) =>
    [...loadRecorded(api).values()].map(({ body, model, host }) => ({ api, body, options: { model, host } })),
  );
  const cards = CARDS.map(({ api, refused, fields, target, ...card }) => ({
    api,
    body: { ...fields, [HISTORY[api]]: refused } as JsonObject,
    options: target,
    error: card.error,
  }));
  return JSON.parse(
    JSON.stringify({
      lists: Object.values(RENDER).flatMap((render) => histories.map(render)),
      bodies: [
        ...histories.flatMap((steps) => requests(steps).map(([api, body]) => ({ api, body, options: {} }))),
        ...recorded,
        ...cards.map(({ error: _error, ...one }) => one),
      ],
      damaged: Object.values(FAULTS).flatMap((steps) => requests(asked(steps, "Go on.")).map((one) => toAsked(one))),
      healthy: requests(asked(ANSWERED, "Go on.")).map((one) => toAsked(one)),
      refused: cards.map(({ api }, at) =>
        toAsked(requests(asked(VALID, `${REFUSED} ${at}.`)).find((request) => request[0] === api)!),
      ),
      streamed: requests(asked(DAMAGED, STREAMED)).map((one) => toAsked(one, true)),
      hanging: OWN_FORMS.map((_, at) => {
        const hang = (steps: typeof VALID): Hanging => ({
          silent: toAsked(requests(asked(steps, SILENT))[at]!),
          streamed: toAsked(requests(asked(steps, HANGING))[at]!, true),
        });
        return { plain: hang(ANSWERED), damaged: hang(DAMAGED), words: WORDS };
      }),
    } satisfies Cases),
  ) as Cases;
}

/** A person says something more. */
function asked(steps: typeof VALID, words: string): typeof VALID {
  return [...steps, { kind: "user", text: words }];
}

/** The request of each API. */
function requests(steps: typeof VALID): Request[] {
  return OWN_FORMS.flatMap((form) => makeRequests(form, RENDER[form](steps)));
}

/** What the provider does with the cases that need more than an answer. A new one for each runtime. */
export function makeFront(): Front {
  const seen = new Set<string>();
  return ({ raw }) => {
    if (raw.includes(SILENT)) return { kind: "fault", fault: "hang" };
    if (raw.includes(HANGING)) return { kind: "fault", fault: "hang-in-tool", text: WORDS, pieces: 1 };
    if (raw.includes(STREAMED))
      return { kind: "text", text: "An answer in some pieces. ".repeat(20), pieces: 20, pace: 1 };
    const refused = /\bREFUSED (\d+)\./.exec(raw)?.[1];
    if (refused === undefined || seen.has(refused)) return undefined;
    seen.add(refused);
    return { status: 400, body: { error: { type: "invalid_request_error", message: CARDS[Number(refused)]!.error } } };
  };
}

/** True for what a client may have aborted before the provider has seen it. */
export function mayBeUnseen(raw: string): boolean {
  return raw.includes(SILENT) || raw.includes(HANGING);
}

const HISTORY: Readonly<Record<Api, string>> = {
  "anthropic-messages": "messages",
  "openai-completions": "messages",
  "openai-responses": "input",
  "google-generative-ai": "contents",
  "bedrock-converse-stream": "messages",
};

function toAsked([api, body]: Request, isStreamed = false): Asked {
  const stream = isStreamed ? { stream: true } : {};
  switch (api) {
    case "anthropic-messages":
      return { path: "/v1/messages", body: { ...body, ...stream } };
    case "openai-completions":
      return { path: "/v1/chat/completions", body: { ...body, ...stream } };
    case "openai-responses":
      return { path: "/v1/responses", body: { ...body, ...stream } };
    case "google-generative-ai":
      return { path: `/v1beta/models/m:${isStreamed ? "streamGenerateContent?alt=sse" : "generateContent"}`, body };
    case "bedrock-converse-stream":
      return { path: `/model/anthropic.claude-test/${isStreamed ? "converse-stream" : "converse"}`, body };
  }
}
