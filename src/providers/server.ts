import { ADAPTERS } from "./apis/index.ts";
import { fingerprintBody } from "./fingerprint.ts";
import { Gates } from "./gates.ts";
import { isObject } from "./json.ts";
import { listen, type Request, type Response } from "./listen.ts";
import { makeFailure, Reply } from "./reply.ts";
import { listViolations } from "./rules/index.ts";
import { buildAnswer, planStep, Script } from "./script.ts";
import type { ApiAdapter, RecordedRequest, Step, StrictProvider, Violation } from "./types.ts";

/**
 * Starts the strict provider on loopback: all APIs on one port, each on its own paths. With `host` it plays that one,
 * else the maker of the model. A body of more than `maxBytes` is not read.
 */
export async function startProvider(
  options: { port?: number; host?: string; maxBytes?: number } = {},
): Promise<StrictProvider> {
  const provider = new Provider((request) => listener.drop(request), options);
  const listener = await listen(options.port ?? 0, (request, response) => void provider.serve(request, response));
  return {
    url: `http://127.0.0.1:${listener.port}`,
    requests: provider.requests,
    script: (...steps) => provider.steps.push(steps),
    enforce: (rule) => provider.gates.enforce(rule),
    relax: () => provider.gates.relax(),
    front: (front) => provider.gates.setFront(front),
    block: (text, form) => provider.gates.block(text, form ?? { fault: "content-filter-400" }),
    unblock: (text) => provider.gates.unblock(text),
    reset: () => provider.reset(),
    close: () => listener.close(),
  };
}

class Provider {
  readonly requests: RecordedRequest[] = [];
  readonly steps = new Script();
  readonly gates = new Gates();
  private readonly drop: (request: Request) => void;
  private readonly host: { host?: string };
  private readonly maxBytes: number;
  private answers = 0;
  private serials = 0;

  constructor(drop: (request: Request) => void, { host, maxBytes = Infinity }: { host?: string; maxBytes?: number }) {
    this.drop = drop;
    this.host = host === undefined ? {} : { host };
    this.maxBytes = maxBytes;
  }

  reset(): void {
    this.requests.length = 0;
    this.steps.clear();
    this.gates.clear();
    this.answers = 0;
  }

  async serve(request: Request, response: Response): Promise<void> {
    // A request counts as destroyed as soon as its body was read, a response only when its connection has gone.
    let closed = false;
    response.once("close", () => (closed = true));
    try {
      await this.handle(request, response);
    } catch (error) {
      // A client that went away in the middle is no news; anything else must be seen by the test.
      if (response.writableEnded || closed) return;
      if (response.headersSent) request.destroy();
      else new Reply(response).json(500, { error: { message: `strict provider failed: ${String(error)}` } });
    }
  }

  private async handle(request: Request, response: Response): Promise<void> {
    // A page of another origin is let in, as the real APIs do.
    response.setHeader("access-control-allow-origin", "*");
    if (request.method === "OPTIONS") {
      response.setHeader("access-control-allow-headers", "*");
      response.end();
      return;
    }
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    let target: ReturnType<ApiAdapter["match"]>;
    const adapter = ADAPTERS.find((one) => (target = one.match(url)) !== undefined);
    const record: RecordedRequest = {
      api: adapter?.api ?? "unknown",
      path: url.pathname + url.search,
      headers: request.headers,
      body: undefined,
      raw: "",
      fingerprint: "",
      status: 0,
      violations: [],
      at: Date.now(),
    };
    this.requests.push(record);
    const reply = new Reply(response, record, adapter, () => this.drop(request));
    const raw = await readBody(request, this.maxBytes);
    if (raw === undefined) {
      reply.json(413, { error: { type: "request_too_large", message: "Request exceeds the maximum size" } });
      this.drop(request);
      return;
    }
    record.raw = raw;
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
    record.fingerprint = fingerprintBody(body);
    const inBody = isObject(body) && typeof body["model"] === "string" ? body["model"] : "unknown";
    const model = target?.model ?? inBody;
    const inFront = this.gates.inFront(adapter.api, body, { raw: record.raw, model });
    if (inFront !== undefined && "status" in inFront) {
      reply.refusedBy({ by: "front", name: String(inFront.status) });
      reply.asItIs(inFront);
      return;
    }
    if (this.refuse(adapter, reply, record, model)) return;
    const streamed = target?.streamed ?? (isObject(body) && body["stream"] === true);
    const blocked = this.gates.blocked(adapter.api, body);
    if (blocked !== undefined) reply.refusedBy(blocked.refusal);
    const step: Step | undefined =
      blocked === undefined ? (inFront ?? this.steps.take(adapter.api)) : { kind: "fault", ...blocked.form };
    await this.play(adapter, reply, model, streamed, step);
  }

  /** Checks the API's rules, then the extra ones; the first that is broken is the answer. */
  private refuse(adapter: ApiAdapter, reply: Reply, record: RecordedRequest, model: string): boolean {
    const own = listViolations(adapter.api, record.body, { model, ...this.host });
    // An extra rule may take a body for granted that the API takes.
    const extra = own.length > 0 ? [] : this.gates.broken(adapter.api, record.body);
    const violations: Violation[] = [...own, ...extra.map(({ violation }) => violation)];
    record.violations = violations.map(({ message }) => message);
    const first = violations[0];
    if (first === undefined) return false;
    reply.refusedBy(extra[0]?.refusal ?? { by: "api", name: first.path });
    reply.error({ ...first, kind: "invalid" });
    return true;
  }

  /** Answers an accepted request with a step, or with a text of its own. */
  private async play(adapter: ApiAdapter, reply: Reply, model: string, streamed: boolean, taken?: Step): Promise<void> {
    const n = ++this.answers;
    const step: Step = taken ?? { kind: "text", text: `ok ${n}` };
    if (step.kind === "fault") {
      reply.note(step.fault);
      reply.refusedBy({ by: "fault", name: step.fault });
    }
    const plan = planStep(step, adapter.api);
    // Ids count on over resets, and so must not be made of n.
    const answer = buildAnswer(step, plan, adapter, { n, model, serial: () => ++this.serials });
    answer.n = ++this.serials;
    if (plan.do === "hang") return;
    if (plan.do === "error") reply.error(makeFailure(adapter, plan.failure));
    else if (plan.do === "reject")
      reply.error({ status: 400, kind: "invalid", message: adapter.rejections[plan.text] });
    else if (plan.do === "prompt-blocked") reply.promptBlocked(answer, plan.reason, streamed);
    else if (streamed) await reply.stream(answer, plan, step.pace ?? 0);
    else await reply.whole(answer, plan);
  }
}

/** Undefined: the body is larger. */
async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString();
}
