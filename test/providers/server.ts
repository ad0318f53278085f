import { setTimeout as sleep } from "node:timers/promises";
import { ADAPTERS } from "./apis/index.ts";
import type { Plan } from "./faults.ts";
import { isObject } from "./json.ts";
import { listen } from "./listen.ts";
import type { Request, Response } from "./listen.ts";
import { violationsOf } from "./rules/index.ts";
import { answerOf, planOf, Script } from "./script.ts";
import type { Answer, ApiAdapter, Failure, Frame, Mark, ProviderError, RecordedRequest, Step, StrictProvider } from "./types.ts";

/** Starts the strict provider on loopback: all APIs on one port, each on its own paths. */
export async function startProvider(options: { port?: number } = {}): Promise<StrictProvider> {
  const provider = new Provider((request) => listener.drop(request));
  const listener = await listen(options.port ?? 0, (request, response) => void provider.serve(request, response));
  return {
    url: `http://127.0.0.1:${listener.port}`,
    requests: provider.requests,
    script: (...steps) => provider.steps.push(steps),
    reset: () => provider.reset(),
    close: () => listener.close(),
  };
}

class Provider {
  readonly requests: RecordedRequest[] = [];
  readonly steps = new Script();
  private readonly drop: (request: Request) => void;
  private answers = 0;
  private serials = 0;

  constructor(drop: (request: Request) => void) {
    this.drop = drop;
  }

  reset(): void {
    this.requests.length = 0;
    this.steps.clear();
    this.answers = 0;
  }

  async serve(request: Request, response: Response): Promise<void> {
    try {
      await this.handle(request, response);
    } catch (error) {
      // A client that went away in the middle is no news; anything else must be seen by the test.
      if (response.writableEnded || request.destroyed) return;
      if (response.headersSent) request.destroy();
      else new Reply(response).json(500, { error: { message: `strict provider failed: ${String(error)}` } });
    }
  }

  private async handle(request: Request, response: Response): Promise<void> {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    let target: ReturnType<ApiAdapter["match"]>;
    const adapter = ADAPTERS.find((one) => (target = one.match(url)) !== undefined);
    const record: RecordedRequest = {
      api: adapter?.api ?? "unknown",
      path: url.pathname + url.search,
      headers: request.headers,
      body: undefined,
      raw: "",
      status: 0,
      violations: [],
      at: Date.now(),
    };
    this.requests.push(record);
    record.raw = await textOf(request);
    const reply = new Reply(response, record, adapter, () => this.drop(request));
    if (adapter === undefined || request.method !== "POST") {
      reply.json(404, { error: { type: "not_found_error", message: `No API at ${request.method} ${url.pathname}` } });
      return;
    }
    try {
      record.body = JSON.parse(record.raw) as unknown;
    } catch (error) {
      reply.error({ status: 400, kind: "invalid", message: `The request body is not valid JSON: ${String(error)}` });
      return;
    }
    const body = record.body;
    const inBody = isObject(body) && typeof body["model"] === "string" ? body["model"] : "unknown";
    const model = target?.model ?? inBody;
    const violations = violationsOf(adapter.api, body, { model });
    record.violations = violations.map(({ message }) => message);
    const first = violations[0];
    if (first !== undefined) {
      reply.error({ ...first, kind: "invalid" });
      return;
    }
    const streamed = target?.streamed ?? (isObject(body) && body["stream"] === true);
    await this.play(adapter, reply, model, streamed);
  }

  /** Answers an accepted request with the next scripted step. */
  private async play(adapter: ApiAdapter, reply: Reply, model: string, streamed: boolean): Promise<void> {
    const n = ++this.answers;
    const step: Step = this.steps.take(adapter.api) ?? { kind: "text", text: `ok ${n}` };
    if (step.kind === "fault") reply.note(step.fault);
    const plan = planOf(step);
    // Ids count on over resets, and so must not be made of n.
    const answer = answerOf(step, plan, adapter, { n, model, serial: () => ++this.serials });
    answer.n = ++this.serials;
    if (plan.do === "hang") return;
    if (plan.do === "error") reply.error(failureOf(adapter, plan.failure));
    else if (plan.do === "reject") reply.error({ status: 400, kind: "invalid", message: adapter.rejections[plan.text] });
    else if (plan.do === "prompt-blocked") reply.promptBlocked(answer, streamed);
    else if (streamed) await reply.stream(answer, plan);
    else await reply.whole(answer, plan);
  }
}

function failureOf(adapter: ApiAdapter, failure: Failure): ProviderError {
  return { ...adapter.failures[failure], kind: failure };
}

async function textOf(request: Request): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString();
}

/** One answer on its way to the client. */
class Reply {
  private readonly response: Response;
  private readonly record: RecordedRequest | undefined;
  private readonly adapter: ApiAdapter | undefined;

  private readonly disconnect: () => void;

  constructor(response: Response, record?: RecordedRequest, adapter?: ApiAdapter, disconnect: () => void = () => {}) {
    this.response = response;
    this.record = record;
    this.adapter = adapter;
    this.disconnect = disconnect;
  }

  note(fault: RecordedRequest["fault"]): void {
    if (this.record !== undefined && fault !== undefined) this.record.fault = fault;
  }

  json(status: number, body: object, headers: Record<string, string> = {}): void {
    this.head(status, { "content-type": "application/json", ...headers });
    this.response.end(JSON.stringify(body));
  }

  error(error: ProviderError): void {
    if (this.record !== undefined) this.record.error = error.message;
    const { headers, body } = this.adapter?.errorBody(error) ?? { body: { error: { message: error.message } } };
    this.json(error.status, body, headers);
  }

  promptBlocked(answer: Answer, streamed: boolean): void {
    const adapter = this.adapter;
    if (adapter === undefined) return;
    const body = adapter.promptBlocked?.(answer);
    if (body === undefined) this.error(failureOf(adapter, "content-filter"));
    else if (streamed) {
      this.head(200, { "content-type": adapter.contentType });
      this.response.end(`data: ${JSON.stringify(body)}\n\n`);
    } else this.json(200, body);
  }

  async stream(answer: Answer, plan: Plan): Promise<void> {
    const adapter = this.adapter;
    if (adapter === undefined) return;
    this.head(200, { "content-type": adapter.contentType, "cache-control": "no-cache" });
    const all = adapter.frames(answer);
    const frames = plan.do === "cut" ? upTo(all, plan.mark) : all;
    for (const frame of frames) this.write(frame.data);
    if (plan.do !== "cut" || plan.outcome === "end") this.response.end();
    else if (plan.outcome === "drop") await this.drop();
    else if (plan.outcome !== "hang") {
      const error = failureOf(adapter, plan.outcome);
      if (this.record !== undefined) this.record.error = error.message;
      // Some clients look for an error only where a chunk of its own begins.
      await sleep(10);
      this.write(adapter.errorFrame(error).data);
      this.response.end();
    }
  }

  /** Without a stream a cut can only fail as a whole, or break the document. */
  async whole(answer: Answer, plan: Plan): Promise<void> {
    const adapter = this.adapter;
    if (adapter === undefined) return;
    const body = adapter.whole(answer);
    if (plan.do !== "cut") this.json(200, body);
    else if (plan.outcome === "drop" || plan.outcome === "end") {
      const text = JSON.stringify(body);
      this.head(200, { "content-type": "application/json" });
      this.write(text.slice(0, text.length / 2));
      if (plan.outcome === "drop") await this.drop();
      else this.response.end();
    } else if (plan.outcome !== "hang") this.error(failureOf(adapter, plan.outcome));
  }

  private head(status: number, headers: Record<string, string>): void {
    if (this.record !== undefined) this.record.status = status;
    // Both kinds of response take it, but their overloads have no common signature.
    this.response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value);
  }

  private write(data: string | Buffer): void {
    if ("createPushResponse" in this.response) this.response.write(data);
    else this.response.write(data);
  }

  /** Breaks the connection, once what was written has had time to leave. */
  private async drop(): Promise<void> {
    await sleep(10);
    this.disconnect();
  }
}

/** The frames up to the last one with `mark`: of several calls, all but the last have arrived whole. */
function upTo(frames: Frame[], mark: Mark): Frame[] {
  const at = frames.findLastIndex((frame) => frame.mark === mark);
  return at < 0 ? frames : frames.slice(0, at + 1);
}
