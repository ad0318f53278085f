import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { marksIn } from "../../harness/played/case.ts";
import type { PlayedTurn } from "../../harness/played/case.ts";
import { isPicture, objectsIn } from "../../harness/played/read-body.ts";
import { startOpenClaw, toTranscript, type ModelApi, type OpenClawDriver } from "../../harness/openclaw/index.ts";
import { says, user } from "../../harness/openclaw/samples.ts";
import { traceLines } from "../../harness/openclaw/traced-calls.ts";
import type { RunResult, TurnResult } from "../../harness/openclaw/types.ts";
import {
  isObject,
  startProvider,
  type Front,
  type RecordedRequest,
  type StrictProvider,
} from "../../harness/providers/index.ts";
import { holds, requestText } from "../start/judge.ts";
import type { Variant } from "../start/record.ts";
import type { GateCase } from "./case.ts";
import { isProbe } from "./probe.ts";
import { pictureWord, type CaseRecord, type TurnRecord } from "./record.ts";

/** Where a lane's OpenClaw is. */
export interface LaneOptions {
  release: string;
  variant: Variant;
  /** Folder that contains `node_modules/openclaw`. */
  root: string;
}

const TURN_TIMEOUT_MS = 240_000;
// Timers may fire a little early.
const TIMER_SLACK = 0.99;
const WARM_UP = toTranscript([user("hello"), says("hello")], { seed: "warm-up" });
const LATE = 1_000;
const [ERROR_LENGTH, SHOWN_LENGTH] = [300, 500];
// How long nothing may come from an OpenClaw before the next message, and how long that is waited for: the search for
// a refused part begins a second behind a turn.
const [QUIET_MS, SETTLE_MS] = [1_500, 20_000];

/** One process of OpenClaw with a provider of its own, warm from case to case. */
export class Lane {
  readonly variant: Variant;
  readonly release: string;
  readonly #provider: StrictProvider;
  readonly #driver: OpenClawDriver;
  readonly #warm = new Set<ModelApi>();

  private constructor({ release, variant }: LaneOptions, provider: StrictProvider, driver: OpenClawDriver) {
    this.release = release;
    this.variant = variant;
    this.#provider = provider;
    this.#driver = driver;
  }

  static async start(options: LaneOptions): Promise<Lane> {
    const { release, root } = options;
    const provider = await startProvider();
    try {
      const driver = await startOpenClaw({ release, root, providerUrl: provider.url, turnTimeoutMs: TURN_TIMEOUT_MS });
      shortenPauses(driver.stateDir);
      return new Lane(options, provider, driver);
    } catch (error) {
      await provider.close();
      throw error;
    }
  }

  /** Whether the installation has the API of the case. */
  takes({ session }: GateCase): boolean {
    return this.#driver.apis.includes(session.api);
  }

  /** Plays a case in a session of its own; again, once, when it timed out: that says something about the machine. */
  async play(played: GateCase): Promise<CaseRecord> {
    await this.#warmUp(played.session.api);
    const record = await this.#play(played);
    return record.timedOut ? this.#play(played) : record;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#driver.close(), this.#provider.close()]);
  }

  /** What OpenClaw loads with the first turn on an API is not part of any case. */
  async #warmUp(api: ModelApi): Promise<void> {
    if (this.#warm.has(api)) return;
    this.#warm.add(api);
    this.#provider.reset();
    await this.#driver.run({ transcript: WARM_UP, api, messages: ["warm-up"], turnTimeoutMs: 600_000 });
  }

  async #play(played: GateCase): Promise<CaseRecord> {
    const { release, variant } = this;
    const record: CaseRecord = { played, release, variant, turns: [], timedOut: false };
    const run = await this.#driver.run({ ...played.session, messages: [] });
    if (run.error !== undefined) return { ...record, error: run.error };
    const words = [...played.marks, ...marksIn(played.turns.map(({ message }) => message))];
    for (const [at, turn] of played.turns.entries()) {
      const before = played.turns.slice(0, at).filter(({ provider }) => provider === turn.provider);
      record.turns.push(
        await this.#turn(
          run,
          turn,
          words,
          before.flatMap(({ front }) => front ?? []),
        ),
      );
    }
    const limit = TURN_TIMEOUT_MS * TIMER_SLACK;
    return { ...record, timedOut: record.turns.some(({ answered, ms }) => !answered && ms >= limit) };
  }

  async #turn(
    run: RunResult,
    turn: PlayedTurn,
    words: readonly string[],
    before: readonly Front[],
  ): Promise<TurnRecord> {
    const { message, answer, front, provider, steps = [], prepare, killAt } = turn;
    this.#provider.reset();
    prepare?.(this.#provider);
    this.#provider.front(front);
    this.#provider.script(...steps, { kind: "text", text: answer, times: Infinity });
    const sending = run.send(message, provider === undefined ? undefined : { provider });
    if (killAt !== undefined) await this.#killAt(killAt, sending);
    const { text, error = "", ms } = await sending;
    const all = [...this.#provider.requests];
    const requests = all.filter(({ body }) => !isProbe(body));
    await this.#settle();
    const shown = text || error;
    const accepted = requests.findLast(({ status, refusedBy }) => status === 200 && refusedBy === undefined);
    const expected = [answer, ...steps.flatMap((step) => (step.kind === "text" ? [step.text] : []))];
    return {
      answered: expected.some((one) => text.includes(one)),
      shown: shown.slice(0, SHOWN_LENGTH),
      ms,
      requests: requests.map(toRequest),
      behind: this.#provider.requests.length - requests.length,
      ...(accepted && { sent: [...wordsIn(accepted, words), ...picturesIn(accepted)] }),
      ...(accepted && before.some((one) => refuses(one, accepted)) && { wasRefused: true }),
    };
  }

  /** Waits until an OpenClaw that has been refused does nothing more: work behind a turn is not part of the next one. */
  async #settle(): Promise<void> {
    const { requests } = this.#provider;
    if (!requests.some(({ refusedBy }) => refusedBy !== undefined)) return;
    const end = performance.now() + SETTLE_MS;
    for (let seen = -1; seen !== requests.length && performance.now() < end;) {
      seen = requests.length;
      await sleep(QUIET_MS);
    }
  }

  async #killAt(trace: string, sending: Promise<TurnResult>): Promise<void> {
    const workspace = join(this.#driver.stateDir, "..", "workspace");
    const over = new AbortController();
    const end = (): void => over.abort();
    sending.then(end, end);
    while (!over.signal.aborted && traceLines(workspace, trace).length === 0) await sleep(50);
    // Time for the quick call beside it, and for what OpenClaw stores of it.
    await sleep(2_000);
    this.#driver.kill();
  }
}

/** OpenClaw 2026.2.3 waits 2, 4 and 8 seconds before it tries again by itself: nothing here depends on how long. */
function shortenPauses(stateDir: string): void {
  const agent = join(stateDir, "agents", "main", "agent");
  mkdirSync(agent, { recursive: true });
  writeFileSync(join(agent, "settings.json"), JSON.stringify({ retry: { baseDelayMs: 100 } }));
}

/** Whether a front refuses a request for what is in it: later in a turn than one that fails for a while would. */
function refuses(front: Front, { api, body, raw }: RecordedRequest): boolean {
  if (api === "unknown" || !isObject(body)) return false;
  const model = typeof body["model"] === "string" ? body["model"] : "";
  return front({ api, body, raw, model, nth: LATE }) !== undefined;
}

function wordsIn(request: RecordedRequest, words: readonly string[]): string[] {
  const text = requestText(request);
  return words.filter((word) => holds(text, word));
}

function picturesIn({ body }: RecordedRequest): string[] {
  const found = isObject(body) ? objectsIn(body).filter(({ value }) => isPicture(value)) : [];
  return found.map((_, at) => pictureWord(at + 1));
}

function toRequest({ status, refusedBy, error }: RecordedRequest): TurnRecord["requests"][number] {
  return {
    status,
    ...(refusedBy && { refusedBy: `${refusedBy.by} ${refusedBy.name}` }),
    ...(error !== undefined && { error: error.slice(0, ERROR_LENGTH) }),
  };
}
