import { utf8Length } from "../base/bytes.ts";
import { classify } from "../recovery/errors/classify.ts";
import type { ProviderError } from "../recovery/failure.ts";
import { isOfHistory, factsBehind } from "../recovery/routes/lesson.ts";
import { leavesMediaOut, type Treatment } from "../recovery/forms/treatment.ts";
import { Ladder, type LadderPort, interpretFailure, tookHistory, tookLastWords } from "../recovery/ladder.ts";
import { treatAll } from "../recovery/remembered.ts";
import { routeName } from "../recovery/route-name.ts";
import { shapeBody } from "../recovery/routes/body.ts";
import { shapeMessages } from "../recovery/routes/shape.ts";
import { fitted, fitTo, tokensAbove } from "../recovery/size/smaller.ts";
import { type Size, measureMessages, sumSizes } from "../recovery/size/measure.ts";
import { readExcess } from "../recovery/size/read-excess.ts";
import { Tries } from "../recovery/tries.ts";
import { isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import type { CallRecords } from "../transcript/recorded-calls.ts";
import { historyField } from "../wire/apis.ts";
import type { BodyMessage } from "../wire/model.ts";
import { type BodyHistory, readHistory } from "../wire/rewrite.ts";
import { aboutRequest, healBody, type HealedBody } from "./healed-body.ts";
import { type Conversation, Memory } from "./memory.ts";
import type { ModelRequest } from "./request.ts";
import { ToldCalls, type ToldRequest } from "./told.ts";

/** A call of a model, as far as it has come. */
export interface BegunCall {
  readonly request: ModelRequest;
  readonly healed: HealedBody;
  /** What is recorded of the conversation, for a request that was not sent yet. */
  readonly records?: CallRecords | undefined;
  /** The healed body was sent as it is. */
  readonly isSent: boolean;
}

/** Returns what begins calls of which each knows what the ones before have taught. */
export function rememberCalls(): (begun: BegunCall) => ModelCall {
  const memory = new Memory();
  return (begun) => new ModelCall(begun, memory);
}

/** One call of a model, and the requests that are made for it. */
export class ModelCall {
  readonly healings: HealedBody["healings"];
  readonly tries = new Tries();
  readonly route: string;
  readonly #request: ModelRequest;
  readonly #memory: Memory;
  readonly #conversation: Conversation;
  readonly #healed: JsonObject;
  /** Read where something is done with it: most requests are answered as they are. */
  #history: BodyHistory | undefined;
  readonly #ladder: Ladder;
  /** The history as the route is known to take it, before other forms are tried. */
  #known: readonly BodyMessage[] = [];
  /** What the last request was made of. */
  #sent: readonly unknown[] = [];
  #body: JsonObject;
  #sizes = 0;

  readonly #told: ToldCalls | undefined;

  constructor({ request, healed, records, isSent }: BegunCall, memory: Memory) {
    const { endpoint, body, address } = request;
    const { api, model } = endpoint;
    const asked = typeof body.model === "string" ? body.model : typeof body.modelId === "string" ? body.modelId : model;
    this.#request = request;
    this.#memory = memory;
    this.route = routeName({ api, baseUrl: address, id: asked });
    this.#told = records && tellCalls({ api, about: aboutRequest(request), body, records }, healed.body);
    const told = this.#told?.withAbsent() ?? body;
    const whole = told === body ? healed : healBody(request, told);
    this.healings = whole.body === told ? healed.healings : whole.healings;
    this.#healed = this.#told?.withPlaced(whole.body) ?? whole.body;
    this.#conversation = memory.conversation(this.route, this.#items(this.#healed));
    this.#ladder = new Ladder(this.tries, this.#port());
    const isPlain = this.#conversation.isPlain && memory.facts(this.route).length === 0;
    this.#body = isSent || isPlain ? this.#healed : this.#build([]);
  }

  /** The body of the next request: the same object as the program's own where that can be sent as it is. */
  get body(): JsonObject {
    return this.#body;
  }

  /** How many recorded calls are told to the model, in place of what the program says of them. */
  get told(): number {
    return this.#told?.count ?? 0;
  }

  /** Decides what is sent after a refusal; false where nothing is. */
  refused(error: ProviderError): boolean {
    if (!this.#history) this.#build([]);
    const failure = classify(error);
    if (this.#ladder.taught(failure)) return this.#again();
    const meaning = interpretFailure(failure, false, this.#sent);
    switch (meaning.of) {
      case "refusal":
        return this.#ladder.refused(meaning).send !== undefined && this.#again();
      case "outage":
        return this.#ladder.failed(error) !== undefined && this.#again();
      case "size":
        return this.#smaller(error);
      // What a filter has stopped is the program's to decide on, and the rest says nothing of the request.
      case "stop":
      case "pass":
        return false;
    }
  }

  /** Remembers in which form the history was taken. */
  answered(): void {
    const { tries } = this;
    this.#told?.answered();
    const conversation = this.#conversation;
    this.#memory.answered(this.route, { messages: this.#sent, body: this.#body });
    if (tries.isFromLastWords) return tookLastWords(conversation, this.route, tries.isPlain);
    tookHistory(conversation);
    const tried = tries.confirmed();
    if (tried.length === 0) return;
    const isGuess = tried.some(leavesMediaOut);
    const isNamed = !isGuess && !tries.wasUnexplained;
    if (isNamed || (!isGuess && ++conversation.guesses > 1))
      this.#memory.learn(
        this.route,
        tried.flatMap((treatment) => factsBehind(treatment, this.#known)),
      );
    const own = tried.filter(isOfHistory);
    if (own.length > 0) conversation.took(own, this.#items(this.#healed));
  }

  #port(): LadderPort {
    const messages = (): readonly unknown[] => this.#known;
    const sent = (): LadderPort["request"] => ({
      messages: this.#sent,
      sent: this.#items(this.#body),
      body: this.#body,
    });
    const { route } = this;
    const memory = this.#memory;
    return {
      route,
      memory: this.#conversation,
      get messages() {
        return messages();
      },
      get hasHistory() {
        return messages().some((message) => isObject(message) && message.role === "assistant");
      },
      get request() {
        return sent();
      },
      isSuspected: false,
      answeredAt: memory.answeredAt(route),
      learn: (facts) => memory.learn(route, facts),
    };
  }

  #again(): boolean {
    const before = this.#body;
    this.#body = this.#build(this.tries.treatments);
    return this.#body !== before;
  }

  #smaller(error: ProviderError): boolean {
    if (!this.tries.mayResend) return false;
    const excess = readExcess(error);
    const overhead = this.#overhead();
    const size = sumSizes([measureMessages(this.#sent), overhead]);
    const whole = treatAll([...this.#known], this.tries.treatments);
    const next = fitted(this.#conversation.fitted?.budget, {
      sent: this.#sent,
      whole,
      size,
      overhead,
      excess,
      known: {},
      tries: ++this.#sizes,
    });
    if (!next) return false;
    this.tries.extra++;
    this.#conversation.fitted = {
      route: this.route,
      budget: next.budget,
      tokens: tokensAbove(size, excess, {}),
      declared: 0,
      at: Date.now(),
      isTold: false,
    };
    return this.#again();
  }

  /** Returns the body with the history in the form that is known to be taken, and then in these. */
  #build(treatments: readonly Treatment[]): JsonObject {
    this.#history ??= readHistory(this.#request.endpoint.api, this.#healed, aboutRequest(this.#request))!;
    const { messages } = this.#history;
    const facts = [...this.#memory.facts(this.route), ...this.tries.facts];
    const items = this.#items(this.#healed);
    const known = this.#conversation.asTaken(shapeMessages([...messages], facts), items);
    this.#known = known;
    const treated = treatAll([...known], treatments);
    const { fitted: limit } = this.#conversation;
    this.#sent = (limit && fitTo(treated, limit.budget, this.#overhead())) ?? treated;
    const isSame = this.#sent.length === messages.length && this.#sent.every((message, at) => message === messages[at]);
    const whole = isSame ? this.#healed : this.#history.write(this.#sent);
    const shaped = shapeBody(whole, facts);
    // Text in the place of a block can break a rule of places.
    return shaped === whole ? whole : healBody(this.#request, shaped).body;
  }

  /** What a request holds beside its history. */
  #overhead(): Size {
    const { [historyField(this.#request.endpoint.api)!]: _history, ...rest } = this.#healed;
    const json = toJson(rest);
    return { characters: json.length, bytes: utf8Length(json), messages: 0 };
  }

  #items(body: JsonObject): readonly unknown[] {
    return body[historyField(this.#request.endpoint.api)!] as readonly unknown[];
  }
}

/**
 * Reads what is recorded of the conversation; undefined where the records cannot be read: the request is sent without.
 */
function tellCalls(request: ToldRequest, healed: JsonObject): ToldCalls | undefined {
  try {
    return new ToldCalls(request, healed);
  } catch {
    return undefined;
  }
}
