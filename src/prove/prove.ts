/** The proof: corrupt sessions through a real OpenClaw. */
import { readPackage } from "./openclaw/package.ts";
import { nodeFor, type FoundNode } from "./openclaw/node.ts";
import { storeSessions } from "./openclaw/store.ts";
import type { ProofReport } from "./report.ts";
import { attempt, sessionKey, type Proof, type ProveOptions } from "./run.ts";
import { refuse, sessionsFor, SOUND } from "./sessions/sessions.ts";
import { ownCommand } from "../base/commands/own-command.ts";
import { describeError } from "../base/coded-error.ts";
import { visible } from "../base/visible.ts";

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
    const env = options.env ?? process.env;
    const proof: Proof = {
      openclaw,
      node: node.path,
      options,
      rule: refuse,
      async store(kept, sessions) {
        const stored = sessions.map((session) => ({ key: sessionKey(session), messages: session.messages }));
        await storeSessions(kept, openclaw, node.path, env, stored);
      },
    };
    return report(await find(proof), node);
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
