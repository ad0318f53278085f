import { setTimeout as sleep } from "node:timers/promises";
import type { Plan } from "./faults.ts";
import type { Response } from "./listen.ts";
import type {
  Answer,
  ApiAdapter,
  Failure,
  Frame,
  FrontAnswer,
  JsonObject,
  Mark,
  OwnFailure,
  ProviderError,
  RecordedRequest,
  Refusal,
} from "./types.ts";

/** A failure in the words of an API; throws if the API has no such failure. */
export function makeFailure(adapter: ApiAdapter, failure: Failure | OwnFailure): ProviderError {
  const text = adapter.failures[failure];
  if (text === undefined) throw new Error(`Expected a failure that ${adapter.api} has; found "${failure}".`);
  return { ...text, kind: failure === "invalid-prompt" ? "content-filter" : failure };
}

function toProviderError(adapter: ApiAdapter, outcome: Failure | OwnFailure | "rejection"): ProviderError {
  return outcome === "rejection"
    ? { status: 400, kind: "invalid", message: adapter.rejections.unexpectedResult }
    : makeFailure(adapter, outcome);
}

/** One answer on its way to the client. */
export class Reply {
  private readonly response: Response;
  private readonly record: RecordedRequest | undefined;
  private readonly adapter: ApiAdapter | undefined;
  private readonly disconnect: () => void;
  private closed = false;

  constructor(response: Response, record?: RecordedRequest, adapter?: ApiAdapter, disconnect: () => void = () => {}) {
    this.response = response;
    this.record = record;
    this.adapter = adapter;
    this.disconnect = disconnect;
    response.once("close", () => (this.closed = true));
  }

  /** Records the fault that is played. */
  note(fault: RecordedRequest["fault"]): void {
    if (this.record !== undefined && fault !== undefined) this.record.fault = fault;
  }

  /** Records what refused the request; what is nearer to the request than a fault stays. */
  refusedBy(refusal: Refusal): void {
    if (this.record !== undefined) this.record.refusedBy ??= refusal;
  }

  json(status: number, body: object, headers: Record<string, string> = {}): void {
    this.head(status, { "content-type": "application/json", ...headers });
    this.response.end(JSON.stringify(body));
  }

  /** What a front says, byte for byte. */
  asItIs({ status, body, contentType = "application/json", headers = {} }: FrontAnswer): void {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    if (this.record !== undefined) this.record.error = text;
    this.head(status, { "content-type": contentType, ...headers });
    this.response.end(text);
  }

  error(error: ProviderError): void {
    this.says(error);
    const { headers, body } = this.adapter?.errorBody(error) ?? { body: { error: { message: error.message } } };
    this.json(error.status, body, headers);
  }

  promptBlocked(answer: Answer, reason: string, streamed: boolean): void {
    const adapter = this.adapter;
    if (adapter === undefined) return;
    const body = adapter.promptBlocked?.(answer, reason);
    if (body === undefined) this.error(makeFailure(adapter, "content-filter"));
    else if (streamed) {
      this.head(200, { "content-type": adapter.contentType });
      this.response.end(`data: ${JSON.stringify(body)}\n\n`);
    } else this.json(200, body);
  }

  /** Streams an answer as far as the plan goes, `pace` milliseconds between two pieces. */
  async stream(answer: Answer, plan: Plan, pace: number): Promise<void> {
    const adapter = this.adapter;
    if (adapter === undefined) return;
    this.head(200, { "content-type": adapter.contentType, "cache-control": "no-cache" });
    const all = adapter.frames(answer);
    const frames = plan.do === "cut" ? upTo(all, plan.mark) : all;
    for (const [i, frame] of frames.entries()) {
      if (pace > 0 && i > 0) await sleep(pace);
      if (this.closed) return;
      this.write(frame.data);
    }
    if (plan.do !== "cut" || plan.outcome === "end") this.response.end();
    else if (plan.outcome === "drop") await this.drop();
    else if (plan.outcome !== "hang") {
      const error = toProviderError(adapter, plan.outcome);
      this.says(error);
      // Some clients look for an error only where a chunk of its own begins.
      await sleep(Math.max(pace, 10));
      const failed = plan.failed === true ? adapter.failedFrame?.(answer, error, frames.length) : undefined;
      this.write((failed ?? adapter.errorFrame(error)).data);
      this.response.end();
    }
  }

  /** Without a stream a cut can only fail as a whole, or break the document. */
  async whole(answer: Answer, plan: Plan): Promise<void> {
    const adapter = this.adapter;
    if (adapter === undefined) return;
    const body: JsonObject = adapter.whole(answer);
    if (plan.do !== "cut") this.json(200, body);
    else if (plan.outcome === "drop" || plan.outcome === "end") {
      const text = JSON.stringify(body);
      this.head(200, { "content-type": "application/json" });
      this.write(text.slice(0, text.length / 2));
      if (plan.outcome === "drop") await this.drop();
      else this.response.end();
    } else if (plan.outcome !== "hang") this.error(toProviderError(adapter, plan.outcome));
  }

  private says(error: ProviderError): void {
    if (this.record !== undefined) this.record.error = error.message;
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
  // An API without an opening frame has sent nothing at its start.
  if (at < 0) return mark === "start" ? [] : frames;
  return frames.slice(0, at + 1);
}
