/**
 * The four patch points in the history pipelines of an attempt and of compaction: before the sanitising and behind the
 * limit.
 */
import { type Chunk, type Insertion, awaitableAt, guardCall, rootsInScope } from "../source/insertion.ts";
import { type Pipeline, type PipelineSession, pipelinesIn } from "./pipeline.ts";
import type { PatchPoint, Provenance } from "../source/point.ts";

// The second form is what a bundler writes when two modules of one chunk share the name.
const NEEDLES = ["limitHistoryTurns(", "limitHistoryTurns$"];
// 2026.3.8 has the most copies: ten of each point.
const COPIES = { min: 1, max: 12 };

const LOAD: Provenance = {
  origin: "vendor",
  bugs: ["openclaw#8221", "openclaw#27150", "openclaw#71380", "openclaw#109443", "openclaw#5048", "openclaw#110956"],
  forwarded: "no; upstream/ has the parts that work on their own",
  appliedUpstream:
    "in part: since 2026.9 the pairing of results considers how often an id occurs; " +
    "displaced results are still dropped",
  lastUpdate: "2026-11-22",
  dropWhen: "the proof passes on the unpatched release",
};

const GATE: Provenance = {
  origin: "vendor",
  bugs: [
    "openclaw#4650",
    "openclaw#13896",
    "openclaw#38370",
    "openclaw#12277",
    "openclaw#18484",
    "openclaw#52548",
    "openclaw#40897",
    "openclaw#998",
    "openclaw#33177",
    "openclaw#54410",
    "openclaw#72899",
    "openclaw#18428",
    "openclaw#63397",
    "openclaw#71050",
  ],
  forwarded:
    "the pairing behind the limit: eight pull requests of others were closed unmerged (openclaw#4387, #5899, " +
    "#6680, #9861, #13903, #13906, #13974, #39079); the rest: upstream/",
  appliedUpstream:
    "in part: 2026.2.12 repairs the pairing behind limitHistoryTurns; the request body is checked by no release",
  lastUpdate: "2026-11-22",
  dropWhen: "the proof passes on the unpatched release",
};

export const attemptHistoryLoad: PatchPoint = {
  id: "attempt-history-load",
  prevents: "a stored history that OpenClaw cannot load, or loses results of",
  commit: "agents: keep stored tool results with their calls on load",
  why:
    "OpenClaw's own sanitising runs first. It throws on some histories (assistant content that is not a list, one " +
    "call id twice on Responses) and drops real results behind another message; no later gate can restore them.",
  dependsOn:
    "the statement before limitHistoryTurns that calls sanitizeSessionHistory({ messages: activeSession.messages })",
  inserts:
    "await guardHistory(activeSession, context) before it: the stored history in OpenClaw's format, every " +
    "result after its call",
  needles: NEEDLES,
  copies: COPIES,
  essential: true,
  locate: (chunk) => lines(chunk, "activeSession", "attempt-history-load", "load"),
  proof: "h-assistant-content-is-no-list",
  provenance: LOAD,
};

export const attemptHistoryGate: PatchPoint = {
  id: "attempt-history-gate",
  prevents: "a stored history that the provider refuses",
  commit: "agents: send no history that the provider refuses",
  why:
    "The history limit cuts between a call and its result (to 2026.2.9), and adapters crash on blocks they do not " +
    "know or send ids, names and roles that the provider refuses (every release).",
  dependsOn: "the statement after limitHistoryTurns that passes its result to activeSession.agent",
  inserts:
    "guardSession(activeSession, context) after it: validateToolResultPairing on the limited history, and the " +
    "wire gate around every model call",
  needles: NEEDLES,
  copies: COPIES,
  essential: true,
  locate: (chunk) => lines(chunk, "activeSession", "attempt-history-gate", "gate"),
  proof: "a-limit-between-call-and-result",
  provenance: GATE,
};

export const compactionHistoryLoad: PatchPoint = {
  id: "compaction-history-load",
  prevents: "a session that can no longer be compacted",
  commit: "agents: keep stored tool results with their calls on load",
  why:
    "The same as attempt-history-load for the summariser: " +
    "a session that cannot be compacted stays too long for ever.",
  dependsOn: "the statement before limitHistoryTurns that calls sanitizeSessionHistory({ messages: session.messages })",
  inserts: "await guardHistory(session, context) before it",
  needles: NEEDLES,
  copies: COPIES,
  essential: true,
  locate: (chunk) => lines(chunk, "session", "compaction-history-load", "load"),
  proof: "h-assistant-content-is-no-list",
  provenance: LOAD,
};

export const compactionHistoryGate: PatchPoint = {
  id: "compaction-history-gate",
  prevents: "a session that can no longer be compacted",
  commit: "agents: send no history that the provider refuses",
  why: "The same as attempt-history-gate for the summariser.",
  dependsOn: "the statement after limitHistoryTurns that passes its result to session.agent",
  inserts: "guardSession(session, context) after it",
  needles: NEEDLES,
  copies: COPIES,
  essential: true,
  locate: (chunk) => lines(chunk, "session", "compaction-history-gate", "gate"),
  proof: "x-long-session-many-wounds",
  provenance: GATE,
};

/**
 * One line at the beginning or the end of every pipeline of that session, with the values that OpenClaw passes to its
 * own functions.
 */
function lines(chunk: Chunk, session: PipelineSession, point: string, at: "load" | "gate"): readonly Insertion[] {
  return pipelinesIn(chunk)
    .filter((pipeline) => pipeline.session === session)
    .map((pipeline) => {
      const { scope, fields, [at]: statement } = pipeline;
      awaitableAt(scope, statement);
      rootsInScope([session, ...fields.map(([, expression]) => expression)], statement, scope);
      const args = `${session}, ${contextLiteral(pipeline, chunk, point)}`;
      return at === "load"
        ? { point, statement, where: "before", text: `await ${guardCall(chunk, "guardHistory", args)};` }
        : { point, statement, where: "after", text: `${guardCall(chunk, "guardSession", args)};` };
    });
}

function contextLiteral({ fields }: Pipeline, { release }: Chunk, point: string): string {
  const pairs = fields.map(([name, expression]) => (name === expression ? name : `${name}: ${expression}`));
  return `{ ${pairs.join(", ")}, release: ${JSON.stringify(release)}, point: ${JSON.stringify(point)} }`;
}
