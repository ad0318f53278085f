import type { Treatment } from "../recovery/forms/treatment.ts";
import type { CallRecords } from "../transcript/recorded-calls.ts";
import type { Api } from "../wire/apis.ts";
import type { Healing } from "../wire/public.ts";
import { healBody, type HealedBody } from "./healed-body.ts";
import { Later } from "./later.ts";
import type { ModelCall } from "./model-call.ts";
import { mayBeOfRequest, readRefusal } from "./refusal.ts";
import { readRequest, type FetchArguments, type ModelRequest } from "./request.ts";

/** What was done for one request of a program. */
export interface HealedRequest {
  readonly api: Api;
  /** Scheme, host and path. */
  readonly address: string;
  /** Rules that the history broke, and what was changed there. */
  readonly healings: readonly Healing[];
  /** Forms in which the history was sent besides, because the provider refuses it otherwise. */
  readonly forms: readonly Treatment["kind"][];
  /** How many requests were made in place of one. */
  readonly requests: number;
  /** How many calls of tools the model was told the recorded outcome of. */
  readonly told: number;
  /** The status of the response that the program gets. */
  readonly status: number;
}

/** Options of {@link healingFetch}. */
export interface HealingFetchOptions {
  /** Sends the requests; the global `fetch` at the time of the request by default. */
  readonly fetch?: typeof fetch;
  /**
   * What is recorded of the conversation, the same for all requests or found anew for each: a conversation of
   * `openclaw-integrity/journal` with durable tools. Without, a call with no result is one of which nothing is known.
   */
  readonly journal?: CallRecords | (() => CallRecords | undefined);
  /** Called once for each request that was not sent as the program has given it. Its errors are ignored. */
  readonly onHealed?: (request: HealedRequest) => void;
}

/**
 * Returns a `fetch` for the `fetch` option of any SDK: the history of each request to a model breaks no rule of its
 * API. A valid request is passed on with the arguments as they are, unless a form is remembered for it or the outcome
 * of one of its calls is recorded; so is any request that is not to a model. Responses are passed through untouched.
 *
 * A request that is refused all the same is made again, at most twice, in another form of its history, before anything
 * of an answer has come; the form that is taken is remembered for the conversation and for the model. Where nothing
 * helps, or the connection breaks, the program gets the first refusal: that of its request as it was sent first
 * (healed, or in a remembered form). Where a repeated request meets load (429, 5xx), the program gets that, which SDKs
 * try again. Rejects only where `fetch` does.
 *
 * What it does with a refusal, and with a `journal`, is half of its code, and is loaded when it is needed first. Where
 * it cannot be loaded, a refusal stays what it is, and of recorded calls nothing is told.
 *
 * A body that is signed, compressed or a stream is passed on as it is.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { healingFetch } from "openclaw-integrity/fetch";
 *
 * // For an SDK: new Anthropic({ fetch: healingFetch() }), new OpenAI({ fetch: healingFetch() })
 * const heal = healingFetch({ fetch: async (_url, init) => new Response(String(init?.body)) });
 * const messages = [{ role: "tool", tool_call_id: "gone", content: "paid" }];
 * const sent = await heal("https://api.openai.com/v1/chat/completions", {
 *   method: "POST",
 *   body: JSON.stringify({ model: "gpt-5", messages }),
 * });
 * // The result has a call again, which every provider takes.
 * assert.match(await sent.text(), /"role":"assistant".*"tool_calls".*"paid"/);
 * ```
 */
export function healingFetch({ fetch: given, journal, onHealed }: HealingFetchOptions = {}): typeof fetch {
  const later = new Later();
  return async (...args: FetchArguments): Promise<Response> => {
    const send = given ?? globalThis.fetch;
    const opened = await open(args, later, journal);
    if (!opened) return send(...args);
    const { request, healed } = opened;
    let { call } = opened;
    const body = call?.body ?? healed.body;
    const isGiven = body === request.body;
    const first = await send(...(isGiven ? args : request.withBody(body, false)));
    const { response, requests } = first.ok ? { response: first, requests: 1 } : await recover(first);
    if (response.ok) attempt(() => beginSent()?.answered());
    if (!isGiven || requests > 1) report(response.status, requests);
    return response;

    /** The call, also where it was sent before anything was loaded. */
    function beginSent(): ModelCall | undefined {
      return (call ??= later.begin({ request, healed, isSent: true }));
    }

    /** Makes a refused request again; gives what the program gets in the end. */
    async function recover(refused: Response): Promise<{ response: Response; requests: number }> {
      let last = refused;
      let made = 1;
      while (mayBeOfRequest(last)) {
        const [error] = await Promise.all([readRefusal(last), later.load(findSignal(args))]);
        if (isAborted(args) || attempt(() => beginSent()?.refused(error)) !== true) break;
        made++;
        let next: Response;
        try {
          next = await send(...request.withBody(call!.body, true));
        } catch (failure) {
          if (isAborted(args)) throw failure;
          break;
        }
        if (last !== refused) discard(last);
        last = next;
        // Where it is load, a later try of the program may be answered; a refused request is tried by none.
        if (last.ok || isLoad(last)) {
          discard(refused);
          return { response: last, requests: made };
        }
      }
      if (last !== refused) discard(last);
      return { response: refused, requests: made };
    }

    function report(status: number, made: number): void {
      const { healings } = call ?? healed;
      const forms = call?.tries.treatments.map(({ kind }) => kind) ?? [];
      const told = call?.told ?? 0;
      const { endpoint, address } = request;
      attempt(() => onHealed?.({ api: endpoint.api, address, healings, forms, requests: made, told, status }));
    }
  };
}

async function open(
  args: FetchArguments,
  later: Later,
  journal: HealingFetchOptions["journal"],
): Promise<{ request: ModelRequest; healed: HealedBody; call: ModelCall | undefined } | undefined> {
  try {
    const request = await readRequest(args);
    if (!request) return undefined;
    const records = typeof journal === "function" ? attempt(journal) : journal;
    if (records) await later.load(findSignal(args));
    const healed = healBody(request);
    return { request, healed, call: later.begin({ request, healed, records, isSent: false }) };
  } catch {
    // `fetch` itself says what is wrong with them.
    return undefined;
  }
}

function isLoad({ status }: Response): boolean {
  return status === 429 || status >= 500;
}

function findSignal([input, init]: FetchArguments): AbortSignal | undefined {
  return init?.signal ?? (input instanceof Request ? input.signal : undefined);
}

function isAborted(args: FetchArguments): boolean {
  return findSignal(args)?.aborted === true;
}

/** A response that nobody reads would hold its connection. */
function discard(response: Response): void {
  void response.body?.cancel().catch(() => {});
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
