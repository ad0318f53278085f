import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { startOpenClaw, toTranscript, type OpenClawDriver, type RunResult } from "../../harness/openclaw/index.ts";
import { patience } from "../../harness/patience.ts";
import { startProvider, type RecordedRequest, type StrictProvider } from "../../harness/providers/index.ts";
import { mostTokens } from "../../harness/providers/random/parts.ts";
import { randomFront, type RandomFront } from "../../harness/providers/random/provider.ts";
import type { Release } from "../../src/patching/index.ts";
import { ARCHIVES } from "../../src/store/archives/manifest.ts";
import { FEW_TOKENS, type Played, type PlayedTurn } from "./played.ts";
import { makeMessage, modelIn, listPhases, saidMark, type Plan } from "./plan.ts";

/** How OpenClaw waits before it asks a provider again that is down; how often it does stays as it is. */
const SETTINGS = { retry: { enabled: true, baseDelayMs: 5 } };
const TURN_TIMEOUT_MS = 60_000;
const RESTART_TRIES = 5;
/** How often a process has to come round, with nothing sent, to have nothing more to send. */
const QUIET_BEATS = 5;
/** Names of copies of transcripts. */
const COPY = /\.integrity-[0-9a-f]+\.bak/;

/** Plays plans one after the other with one patched OpenClaw. */
export interface Player {
  play(plan: Plan): Promise<Played>;
  close(): Promise<void>;
}

/** How it is waited behind a turn until its provider gets nothing more. */
export interface Pause {
  /** Between two looks. */
  quietMs: number;
  /** How long behind a turn the first request is due. */
  firstMs: number;
  /** Behind which it is given up. */
  mostMs: number;
}

/** Resolves when the process that sends the requests has come round to it: a slow machine is slow at that too. */
export type Beat = () => Promise<unknown>;

/** Starts a patched OpenClaw and a provider for it. */
export async function openPlayer(release: Release, pause: Pause, say: (line: string) => void): Promise<Player> {
  const { patched } = await ensurePatched(release, { say });
  const random = randomFront();
  const provider = await startProvider();
  const turnTimeoutMs = patience(TURN_TIMEOUT_MS);
  try {
    const openclaw = await startOpenClaw({
      release,
      root: join(patched, "..", ".."),
      providerUrl: provider.url,
      turnTimeoutMs,
      agentSettings: SETTINGS,
      env: { NODE_OPTIONS: `--import ${new URL("no-waiting.ts", import.meta.url).href}` },
    });
    return new OpenClawPlayer(provider, random, openclaw, { ...pause, turnTimeoutMs });
  } catch (error) {
    await provider.close();
    throw error;
  }
}

class OpenClawPlayer implements Player {
  readonly #provider: StrictProvider;
  readonly #random: RandomFront;
  readonly #openclaw: OpenClawDriver;
  readonly #pause: Pause & { turnTimeoutMs: number };
  /** Names of files of incidents and archives that were read. */
  readonly #known = new Set<string>();

  constructor(
    provider: StrictProvider,
    random: RandomFront,
    openclaw: OpenClawDriver,
    pause: Pause & { turnTimeoutMs: number },
  ) {
    this.#provider = provider;
    this.#random = random;
    this.#openclaw = openclaw;
    this.#pause = pause;
  }

  async play(plan: Plan): Promise<Played> {
    const { api, thinking, conversation, rule, wording } = plan;
    const { turnTimeoutMs } = this.#pause;
    const played: Played = { plan, turns: [], archived: [] };
    this.#provider.reset();
    this.#provider.front(this.#random.front);
    this.#random.relax();
    const input = { transcript: toTranscript(conversation.messages, { seed: `${plan.seed}:${plan.nth}` }), api };
    const run = await this.#openclaw.run({ ...input, ...(thinking && { thinking }), messages: [] });
    if (run.error !== undefined) return { ...played, failed: run.error };
    for (const [nth, phase] of listPhases(plan).entries()) {
      if (phase === "refused" && played.turns.at(-1)?.phase !== "refused")
        this.#random.enforce(rule, wording, modelIn(plan, phase));
      if (phase !== "refused") this.#random.relax();
      const mark = saidMark(plan, nth);
      const model = modelIn(plan, phase);
      this.#provider.requests.length = 0;
      const sent = await run.send(makeMessage(mark), model === undefined ? undefined : { model });
      const { answered, ms } = sent;
      // What the command prints where there is no reply.
      const text = sent.text === "" && /^\w+Error: /.test(sent.error ?? "") ? sent.error! : sent.text;
      // The machine was too slow, or OpenClaw hangs: what the turn would have been is not known.
      if (ms >= turnTimeoutMs) return { ...played, failed: `turn ${nth} took more than ${turnTimeoutMs} ms` };
      const { requests } = this.#provider;
      const isHeldBack = text.includes("is not sent to this model again");
      played.turns.push({
        phase,
        mark,
        answered,
        text,
        isHeldBack,
        ms,
        ...(await wait(requests, requests.length, this.#pause, () => run.readTranscript())),
      });
      const refused = played.turns.filter((one) => one.phase === "refused").length;
      if (phase === "refused" && refused - 1 === plan.killAfter) await this.#restart(run);
    }
    played.archived = this.#archived();
    return played;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#openclaw.close(), this.#provider.close()]);
  }

  /** Kills the process, and waits until the next one has come round to something. */
  async #restart(run: RunResult): Promise<void> {
    this.#openclaw.kill();
    // The first one may be asked of the process that is being killed: the driver starts another one when it has seen its end.
    for (let tries = 0; tries < RESTART_TRIES; tries++) {
      const isUp = await run.readTranscript().then(
        () => true,
        () => false,
      );
      if (isUp) return;
    }
  }

  /** What was archived, or is an incident that ended with a reset, since the last time. */
  #archived(): string[] {
    const { stateDir } = this.#openclaw;
    const found: string[] = [];
    for (const name of this.#newIn(join(stateDir, "logs")))
      if (name.startsWith("integrity-incident-")) {
        const { outcome } = JSON.parse(readFileSync(join(stateDir, "logs", name), "utf8")) as { outcome?: string };
        if (outcome === "reset") found.push(`${name}: reset`);
      }
    found.push(...this.#newIn(join(stateDir, "agents", "main", "sessions")).filter((name) => COPY.test(name)));
    found.push(...this.#newIn(join(stateDir, ARCHIVES)));
    return found;
  }

  #newIn(folder: string): string[] {
    let names: string[];
    try {
      names = readdirSync(folder);
    } catch {
      return [];
    }
    const fresh = names.filter((name) => !this.#known.has(join(folder, name)));
    for (const name of fresh) this.#known.add(join(folder, name));
    return fresh;
  }
}

/**
 * Waits behind a turn until the process has come round several times and its provider has got nothing in the meantime;
 * where the provider has refused a request of the turn not before the first one behind it is due. Returns the requests of
 * the turn, of which the first `during` came before its end, and those behind it: what came after its end, or asks for
 * next to nothing.
 */
export async function wait(
  requests: readonly RecordedRequest[],
  during: number,
  { quietMs, firstMs, mostMs }: Pause,
  beat: Beat,
): Promise<Pick<PlayedTurn, "requests" | "behind">> {
  const end = Date.now() + mostMs;
  const isRefused = requests.some(({ refusedBy }) => refusedBy?.by === "front");
  if (isRefused && requests.length === during) await sleep(firstMs);
  for (let [count, quiet] = [-1, 0]; quiet < QUIET_BEATS && Date.now() < end;) {
    const isBusy = count !== requests.length || requests.some(({ status }) => status === 0);
    quiet = isBusy ? 0 : quiet + 1;
    count = requests.length;
    await sleep(quietMs);
    // A process that has ended sends nothing either.
    await beat().catch(() => {});
  }
  const isBehind = ({ body }: RecordedRequest, at: number): boolean => at >= during || mostTokens(body) <= FEW_TOKENS;
  return {
    requests: requests.filter((request, at) => !isBehind(request, at)),
    behind: requests.filter(isBehind),
  };
}
