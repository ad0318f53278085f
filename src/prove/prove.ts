/** The proof: corrupt sessions through a real OpenClaw. */
import { randomUUID } from "node:crypto";
import { readPackage, type OpenClawPackage } from "./openclaw/package.ts";
import { cleaned } from "./openclaw/environment.ts";
import { EndedByItself, startGateway, type Gateway } from "./openclaw/gateway.ts";
import { Kept, lastWords, namesLimit } from "./openclaw/kept.ts";
import { findNode, isInRange, readNodeVersion, type FoundNode } from "./openclaw/node.ts";
import { PROVIDER_PORT, socketAt } from "./openclaw/sockets.ts";
import { storeSessions } from "./openclaw/store.ts";
import { judge } from "./judge.ts";
import { startProvider, type Provider } from "./provider/server.ts";
import type { ProofReport, SessionProof } from "./report.ts";
import { proofQuestion, refuse, sessionsFor, SOUND, type ProofSession } from "./sessions/sessions.ts";
import { ownCommand } from "../base/commands/own-command.ts";
import { describeError } from "../base/coded-error.ts";
import { visible } from "../base/visible.ts";

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
/** How much longer the keeper lives than a run may take. */
const KEEPER_GRACE_MS = 15_000;
const MESSAGES = 2;

/**
 * Proves that the OpenClaw in `root` gets through corrupt sessions as it is now: starts its gateway in a temporary home
 * with sessions that are stored there and a strict provider, and sends two messages to each session. They talk over
 * sockets in that home, so no other user of the machine takes part, whatever he listens on.
 *
 * A failure counts against the patch only when it happens again after the same OpenClaw has answered a sound session
 * with the guard off. Reads the package only. Of the user's state, config, keys, home and running gateway nothing is
 * read or changed. All that was started is ended and removed, also when this process is killed. Never rejects: what
 * prevents the proof is in the report.
 */
export async function prove(root: string, options: ProveOptions = {}): Promise<ProofReport> {
  const began = performance.now();
  const at = new Date().toISOString();
  const openclaw = readPackage(root);
  const report = ({ verdict, sentence, todo, sessions = [] }: Finding, node?: FoundNode): ProofReport => ({
    root,
    release: openclaw?.release ?? "unknown",
    verdict,
    sentence,
    ...(todo !== undefined && { todo }),
    ...(openclaw?.guard !== undefined && { guard: openclaw.guard }),
    ...(node !== undefined && { node }),
    at,
    sessions,
    ms: Math.round(performance.now() - began),
  });
  if (openclaw === undefined) return report(couldNotRun("there is no OpenClaw in this folder", NAME_IT));
  const { node, wanted } = await nodeFor(openclaw, options);
  if (node === undefined) return report(couldNotRun(wanted, INSTALL_NODE));
  try {
    return report(await find({ openclaw, node: node.path, options }), node);
  } catch (error) {
    return report(couldNotRun(options.signal?.aborted ? "it was ended" : describeError(error), AGAIN), node);
  }
}

/** What a proof has found out. */
type Finding = Pick<ProofReport, "verdict" | "sentence" | "todo"> & Partial<Pick<ProofReport, "sessions">>;

/** Rejects for what the machine or its user prevented. */
async function find(proof: Proof): Promise<Finding> {
  const { only } = proof.options;
  const sessions = sessionsFor(proof.openclaw.release).filter(({ id }) => only?.includes(id) ?? true);
  const first = await attempt(proof, sessions, true);
  if (first.failure === undefined) {
    const count = `${sessions.length} of ${sessions.length}`;
    return {
      verdict: "proven",
      sentence: `proven: ${count} sessions answered, nothing lost`,
      sessions: first.sessions,
    };
  }
  const off = await attempt(proof, [SOUND], false);
  if (off.failure !== undefined) {
    if (first.sessions.some(({ id, passed }) => id === SOUND.id && passed))
      throw new Error(`a sound session failed the second time only: ${off.failure}`);
    const reason =
      "this release does with a sound history what the proof does not expect, also with the guard " +
      `off: ${off.failure}`;
    return { ...couldNotRun(reason, UPDATE), verdict: "release" };
  }
  // What passes by itself, and what somebody else could cause for a moment, does not happen again.
  const again = await attempt(proof, sessions, true);
  if (again.failure === undefined) throw new Error(`it failed the first time only: ${first.failure}`);
  return { verdict: "patch", sentence: `NOT proven: ${again.failure}`, todo: REPORT, sessions: again.sessions };
}

const UPDATE = "Look for a newer openclaw-integrity, and report this sentence if there is none.";
const NAME_IT = "Name the folder of OpenClaw with --path.";
const INSTALL_NODE = "Install a Node that this release runs on, or put it first in PATH, and run the proof again.";
const AGAIN = "It says nothing against the patch. Run it again.";
const REPORT =
  `Check that it is patched (${ownCommand("status")}). ` +
  "If it is, report these lines, with the release of OpenClaw.";

function couldNotRun(reason: string, todo: string): Finding {
  return { verdict: "environment", sentence: visible(`the proof could not be run: ${reason}`), todo };
}

async function nodeFor(
  openclaw: OpenClawPackage,
  { node: given, env = process.env }: ProveOptions,
): Promise<{ readonly node?: FoundNode; readonly wanted: string }> {
  const needs = `OpenClaw ${openclaw.release} needs Node ${openclaw.nodeRange ?? "of any version"}`;
  if (given === undefined) {
    const { node, tried } = await findNode(openclaw, env);
    const found = tried.map(({ version, path }) => `${version} (${path})`).join(", ");
    return { ...(node && { node }), wanted: `${needs}; found ${found === "" ? "none" : found}` };
  }
  const version = await readNodeVersion(given);
  if (version === undefined) return { wanted: `${needs}; ${given} is no Node that can be run` };
  if (!isInRange(version, openclaw.nodeRange)) return { wanted: `${needs}; ${given} is ${version}` };
  return { node: { path: given, version }, wanted: needs };
}

/** What all runs of a proof have in common. */
interface Proof {
  readonly openclaw: OpenClawPackage;
  readonly node: string;
  readonly options: ProveOptions;
}

/** One run of OpenClaw. */
interface Attempt {
  readonly sessions: readonly SessionProof[];
  /** Why it did not pass, on one line. */
  readonly failure?: string;
}

/** Runs sessions through a gateway of their own. Rejects for what the machine or its user prevented. */
async function attempt(proof: Proof, wanted: readonly ProofSession[], isGuarded: boolean): Promise<Attempt> {
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
    throw timeout.aborted ? new Error("it took too long", { cause: error }) : error;
  }
}

/** Runs sessions one after the other: releases differ in what they do at once. */
async function runSessions(
  { openclaw, node, options }: Proof,
  wanted: readonly ProofSession[],
  isGuarded: boolean,
  signal: AbortSignal,
): Promise<readonly SessionProof[]> {
  const { env = process.env, timeoutMs = TIMEOUT_MS, onProgress, hook } = options;
  signal.throwIfAborted();
  const kept = new Kept(node, cleaned(env), timeoutMs + KEEPER_GRACE_MS);
  let provider: Provider | undefined;
  try {
    const { sockets } = await kept.home;
    const apiKey = randomUUID();
    provider = await startProvider(socketAt(sockets, PROVIDER_PORT), apiKey, refuse);
    onProgress?.(`storing ${wanted.length} sessions in a temporary home`);
    const stored = wanted.map((session) => ({ key: sessionKey(session), messages: session.messages }));
    await storeSessions(kept, openclaw, node, env, stored);
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
      turnTimeoutMs: TURN_TIMEOUT_MS,
      signal,
    });
    onProgress?.("sending two messages to each session");
    const sessions: SessionProof[] = [];
    for (const session of wanted) sessions.push(await runSession(session, gateway, provider));
    const limited = sessions.find(({ passed, outcome }) => !passed && namesLimit(outcome + kept.output));
    if (limited !== undefined) throw new Error(`${limited.outcome}${lastWords(kept.output)}`);
    return sessions;
  } finally {
    await provider?.close();
    await kept.close();
  }
}

async function runSession(session: ProofSession, gateway: Gateway, provider: Provider): Promise<SessionProof> {
  const replies: string[] = [];
  for (let nth = 1; nth <= MESSAGES; nth++)
    replies.push(await gateway.send(sessionKey(session), proofQuestion(session, nth)));
  return judge(session, replies, provider.requests);
}

function sessionKey({ id }: ProofSession): string {
  return `agent:main:proof-${id}`;
}
