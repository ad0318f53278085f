/** Runs of an OpenClaw in a temporary home, with sessions that are stored there and a strict provider. */
import { randomUUID } from "node:crypto";
import { describeError } from "../base/coded-error.ts";
import { judge } from "./judge.ts";
import { cleaned } from "./openclaw/environment.ts";
import { EndedByItself, NoAnswerInTime, startGateway, type Gateway } from "./openclaw/gateway.ts";
import { Kept, lastWords, namesLimit } from "./openclaw/kept.ts";
import type { OpenClawPackage } from "./openclaw/package.ts";
import { PROVIDER_PORT, socketAt } from "./openclaw/sockets.ts";
import { startProvider, type ExtraRule, type Provider } from "./provider/server.ts";
import type { SessionProof } from "./report.ts";
import { proofQuestion, type ProofSession } from "./sessions/sessions.ts";

/** Options of a proof. */
export interface ProveOptions {
  /** The Node that is to run OpenClaw. By default the first that the release names: of this process, of PATH. */
  readonly node?: string | undefined;
  /** The environment of which PATH, the language and the like are passed on; that of this process by default. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Ends the proof; the verdict is then `environment`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which each run of OpenClaw ends at the latest, 300,000 by default; there are up to three. */
  readonly timeoutMs?: number | undefined;
  /** The ids of the sessions; by default all of the release. */
  readonly only?: readonly string[] | undefined;
  /** URL of the hook that patches OpenClaw in memory, where its files are not patched. */
  readonly hook?: string | undefined;
  /** Called with what begins now, in words, before each part that takes seconds. */
  readonly onProgress?: ((what: string) => void) | undefined;
}

const TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 200_000;
const TURN_TIMEOUT_MS = 90_000;
/** Where the run goes on without the answer: what is late may be the fault of the machine. */
const LONG_TURN_TIMEOUT_MS = 300_000;
/** How much longer the keeper lives than a run may take. */
const KEEPER_GRACE_MS = 15_000;
const MESSAGES = 2;

/** What all runs of a proof have in common. */
export interface Proof {
  readonly openclaw: OpenClawPackage;
  readonly node: string;
  readonly options: ProveOptions;
  /** What the provider refuses beside the rules of its API. */
  readonly rule: ExtraRule;
  /** Stores sessions in the home before OpenClaw is started. */
  readonly store: (kept: Kept, sessions: readonly ProofSession[]) => Promise<unknown>;
  /** Looks at the home when the sessions have been run. */
  readonly look?: (home: string) => void;
  /** A turn without an answer in time, and the end of OpenClaw between turns, are outcomes of their sessions. */
  readonly goesOn?: boolean;
}

/** One run of OpenClaw. */
export interface Attempt {
  readonly sessions: readonly SessionProof[];
  /** Why it did not pass, on one line. */
  readonly failure?: string;
}

/** Runs sessions through a gateway of their own. Rejects for what the machine or its user prevented. */
export async function attempt(proof: Proof, wanted: readonly ProofSession[], isGuarded: boolean): Promise<Attempt> {
  const timeout = AbortSignal.timeout(proof.options.timeoutMs ?? TIMEOUT_MS);
  const given = proof.options.signal;
  const signal = given === undefined ? timeout : AbortSignal.any([timeout, given]);
  try {
    const sessions = await runSessions(proof, wanted, isGuarded, signal);
    const failed = sessions.filter(({ passed }) => !passed);
    if (failed.length === 0) return { sessions };
    const failure = wanted.length === 1 ? failed[0]!.outcome : `${failed.length} of ${wanted.length} sessions failed`;
    return { sessions, failure };
  } catch (error) {
    if (error instanceof EndedByItself) return { sessions: [], failure: error.message };
    throw error;
  }
}

/** Runs sessions one after the other: releases differ in what they do at once. */
async function runSessions(
  proof: Proof,
  wanted: readonly ProofSession[],
  isGuarded: boolean,
  signal: AbortSignal,
): Promise<readonly SessionProof[]> {
  const { openclaw, node, options } = proof;
  const { env = process.env, timeoutMs = TIMEOUT_MS, onProgress, hook } = options;
  signal.throwIfAborted();
  const kept = new Kept(node, cleaned(env), timeoutMs + KEEPER_GRACE_MS);
  let provider: Provider | undefined;
  try {
    const { home, sockets } = await kept.home;
    const apiKey = randomUUID();
    provider = await startProvider(socketAt(sockets, PROVIDER_PORT), apiKey, proof.rule);
    onProgress?.(`storing ${wanted.length} sessions in a temporary home`);
    await proof.store(kept, wanted);
    signal.throwIfAborted();
    const how = isGuarded ? "" : ", with the guard off";
    onProgress?.(`starting OpenClaw ${openclaw.release} there${how} (up to a minute)`);
    const gateway = await startGateway(kept, {
      node,
      openclaw,
      env,
      isGuarded,
      hook,
      apiKey,
      startTimeoutMs: START_TIMEOUT_MS,
      turnTimeoutMs: proof.goesOn === true ? LONG_TURN_TIMEOUT_MS : TURN_TIMEOUT_MS,
      signal,
    });
    onProgress?.("sending two messages to each session");
    const sessions: SessionProof[] = [];
    for (const session of wanted) sessions.push(await runSession(session, gateway, provider, proof, signal));
    const limited = sessions.find(({ passed, outcome }) => !passed && namesLimit(outcome + kept.output));
    if (limited !== undefined && proof.goesOn !== true) throw new Error(`${limited.outcome}${lastWords(kept.output)}`);
    proof.look?.(home);
    return sessions;
  } catch (error) {
    // What it printed last may tell why: 2026.4 installs packages at its first turn, which a proof has no network for.
    const isOver = signal.aborted && options.signal?.aborted !== true;
    if (!isOver && !(error instanceof NoAnswerInTime)) throw error;
    const what = isOver ? "it took too long" : describeError(error);
    throw new Error(`${what}${lastWords(kept.output)}`, { cause: error });
  } finally {
    await provider?.close();
    await kept.close();
  }
}

async function runSession(
  session: ProofSession,
  gateway: Gateway,
  provider: Provider,
  { goesOn = false }: Proof,
  signal: AbortSignal,
): Promise<SessionProof> {
  const replies: string[] = [];
  let isLate = false;
  for (let nth = 1; nth <= MESSAGES; nth++)
    try {
      replies.push(await gateway.send(sessionKey(session), proofQuestion(session, nth)));
    } catch (error) {
      if (!goesOn || signal.aborted) throw error;
      isLate ||= error instanceof NoAnswerInTime;
      replies.push(describeError(error));
    }
  return { ...judge(session, replies, provider.requests), ...(isLate && { isLate }) };
}

/** The key under which a session of a proof is stored. */
export function sessionKey({ id }: Pick<ProofSession, "id">): string {
  return `agent:main:proof-${id}`;
}
