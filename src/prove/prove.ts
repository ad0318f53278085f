/** The proof: corrupt sessions through a real OpenClaw. */
import { readPackage, type OpenClawPackage } from "./openclaw/package.ts";
import { cleaned } from "./openclaw/environment.ts";
import { startGateway, type Gateway } from "./openclaw/gateway.ts";
import { Kept } from "./openclaw/kept.ts";
import { findNode, isInRange, versionOf, type FoundNode } from "./openclaw/node.ts";
import { storeSessions } from "./openclaw/store.ts";
import { judge } from "./judge.ts";
import { startProvider, type Provider } from "./provider/server.ts";
import type { ProofReport, SessionProof } from "./report.ts";
import { questionOf, refusePath, SESSIONS, type ProofSession } from "./sessions/sessions.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** Options of a proof. */
export interface ProveOptions {
  /** The Node that is to run OpenClaw. By default the first that the release names: of this process, of PATH. */
  readonly node?: string | undefined;
  /** Options of Node for OpenClaw, such as `--import`. */
  readonly execArgv?: readonly string[] | undefined;
  /** Variables that OpenClaw gets in addition, such as `NODE_OPTIONS`. */
  readonly add?: Readonly<Record<string, string>> | undefined;
  /** The environment of which PATH, the language and the like are passed on; that of this process by default. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Ends the proof; the outcome is then `could-not-run`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the proof ends at the latest, 300,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Called with what begins now, in words, before each part that takes seconds. */
  readonly onProgress?: ((what: string) => void) | undefined;
}

const TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 200_000;
const TURN_TIMEOUT_MS = 90_000;
/** How much longer the keeper lives than the proof may take. */
const KEEPER_GRACE_MS = 15_000;
const MESSAGES = 2;

/**
 * Proves that the OpenClaw in `root` gets through corrupt sessions as it is now: starts its gateway in a temporary home
 * with sessions that are stored there and a strict provider on loopback, and sends two messages to each session.
 *
 * Reads the package only. Of the user's state, config, keys, home and running gateway nothing is read or changed. All
 * that was started is ended and removed, also when this process is killed. Never rejects: what prevents the proof is in
 * the report.
 */
export async function prove(root: string, options: ProveOptions = {}): Promise<ProofReport> {
  const began = performance.now();
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = AbortSignal.any([timeout, ...(options.signal === undefined ? [] : [options.signal])]);
  const openclaw = readPackage(root);
  const facts = { root, release: openclaw?.release ?? "unknown" };
  const ms = (): number => Math.round(performance.now() - began);
  if (openclaw === undefined) return couldNotRun(facts, "there is no OpenClaw in this folder", NAME_IT, false, ms());
  const { node, wanted } = await nodeFor(openclaw, options);
  if (node === undefined) return couldNotRun(facts, wanted, INSTALL_NODE, false, ms());
  let started = false;
  try {
    const run = { openclaw, node: node.path, options, signal, onStart: () => (started = true) };
    const proofs = await runSessions(run, SESSIONS);
    const sound = proofs[0]!;
    if (!sound.passed && !(await isJudged(run))) {
      const reason = `this release does with a sound history what the proof does not expect, also with the guard off: ${sound.outcome}`;
      return { ...couldNotRun(facts, reason, UPDATE, started, ms()), againstPatch: false, node: node.path };
    }
    return { ...facts, ...verdict(proofs), started, node: node.path, sessions: proofs, ms: ms() };
  } catch (error) {
    const reason = timeout.aborted
      ? "it took too long"
      : signal.aborted
        ? "it was ended"
        : error instanceof Error
          ? error.message
          : String(error);
    return { ...couldNotRun(facts, reason, started ? LOOK : AGAIN, started, ms()), node: node.path };
  }
}

/** Whether the sound session passes with the guard off: if not, its failure says nothing about the patch. */
async function isJudged(run: ProofRun): Promise<boolean> {
  const add = { ...run.options.add, OPENCLAW_INTEGRITY: "off" };
  const [proof] = await runSessions({ ...run, options: { ...run.options, add } }, SESSIONS.slice(0, 1));
  return proof!.passed;
}

const UPDATE = "Look for a newer openclaw-integrity, and report this sentence if there is none.";
const NAME_IT = "Name the folder of OpenClaw with --path.";
const INSTALL_NODE = "Install a Node that this release runs on, or put it first in PATH, and run the proof again.";
const LOOK = "Check that this OpenClaw starts at all (openclaw gateway), then run the proof again.";
const AGAIN = "Run it again.";

function couldNotRun(
  facts: Pick<ProofReport, "root" | "release">,
  reason: string,
  todo: string,
  started: boolean,
  ms: number,
): ProofReport {
  const sentence = `the proof could not be run: ${reason}`;
  return { ...facts, outcome: "could-not-run", sentence, todo, started, againstPatch: started, sessions: [], ms };
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
  const version = await versionOf(given);
  if (version === undefined) return { wanted: `${needs}; ${given} is no Node that can be run` };
  if (!isInRange(version, openclaw.nodeRange)) return { wanted: `${needs}; ${given} is ${version}` };
  return { node: { path: given, version }, wanted: needs };
}

/** What all gateways of a proof have in common. */
interface ProofRun {
  readonly openclaw: OpenClawPackage;
  readonly node: string;
  readonly options: ProveOptions;
  readonly signal: AbortSignal;
  readonly onStart: () => void;
}

/** Runs sessions through a gateway of their own, one after the other: releases differ in what they do at once. */
async function runSessions(
  { openclaw, node, options, signal, onStart }: ProofRun,
  sessions: readonly ProofSession[],
): Promise<readonly SessionProof[]> {
  const { env = process.env, execArgv = [], add = {}, timeoutMs = TIMEOUT_MS, onProgress } = options;
  signal.throwIfAborted();
  const provider = await startProvider(refusePath);
  const kept = new Kept(node, cleaned(env), timeoutMs + KEEPER_GRACE_MS);
  try {
    onProgress?.(`storing ${sessions.length} sessions in a temporary home`);
    const stored = sessions.map((session) => ({ key: keyOf(session), messages: session.messages }));
    await storeSessions(kept, openclaw, node, env, stored);
    signal.throwIfAborted();
    onStart();
    onProgress?.(`starting OpenClaw ${openclaw.release} there (up to a minute)`);
    const gateway = await startGateway(kept, {
      node,
      execArgv,
      openclaw,
      env,
      more: add,
      providerUrl: provider.url,
      startTimeoutMs: START_TIMEOUT_MS,
      turnTimeoutMs: TURN_TIMEOUT_MS,
      signal,
    });
    onProgress?.("sending two messages to each session");
    const proofs: SessionProof[] = [];
    for (const session of sessions) proofs.push(await runSession(session, gateway, provider));
    return proofs;
  } finally {
    await Promise.all([kept.close(), provider.close()]);
  }
}

async function runSession(session: ProofSession, gateway: Gateway, provider: Provider): Promise<SessionProof> {
  const replies: string[] = [];
  for (let nth = 1; nth <= MESSAGES; nth++) replies.push(await gateway.send(keyOf(session), questionOf(session, nth)));
  return judge(session, replies, provider.requests);
}

function keyOf({ id }: ProofSession): string {
  return `agent:main:proof-${id}`;
}

function verdict(
  sessions: readonly SessionProof[],
): Pick<ProofReport, "outcome" | "sentence" | "todo" | "againstPatch"> {
  const failed = sessions.filter(({ passed }) => !passed);
  if (failed.length === 0) {
    const sentence = `proven: ${sessions.length} of ${sessions.length} sessions answered, nothing lost`;
    return { outcome: "proven", sentence, againstPatch: false };
  }
  return {
    outcome: "not-proven",
    againstPatch: true,
    sentence: `NOT proven: ${failed.length} of ${sessions.length} sessions failed`,
    todo: `Check that it is patched (${ownCommand("status")}). If it is, report these lines, with the release of OpenClaw.`,
  };
}
