import { isSound, countFaultKinds, type Examination, type RepairedSession } from "../../health/index.ts";
import { emit } from "../../observe/index.ts";
import { copyTranscript } from "../../store/archives/archive-copy.ts";
import { describeError } from "../../store/errors.ts";
import { isEarlier, StoreError, type SessionSummary } from "../../store/index.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";
import type { ScanWorker } from "../remote/scan-worker.ts";
import type { PluginIncident } from "./incident.ts";
import type { Calls } from "../remote/remote.ts";
import type { StoreWriter } from "../remote/store-writer.ts";

/** Options of a treatment. */
export interface TreatmentOptions {
  readonly stateDirectory: string;
  /** The folder of the running OpenClaw. */
  readonly root: string;
  readonly strategy: RepairStrategy;
  readonly scanWorker: Calls<ScanWorker>;
  readonly writer: Calls<StoreWriter>;
  /**
   * Returns whether the core patch is active: it handles faults that the store repair cannot, so no messages have to be
   * given up.
   */
  readonly isPatched: () => boolean;
}

/** What was done about a session with faults. */
export type Treated = Pick<PluginIncident, "action" | "reason" | "archive" | "checkpointId"> & {
  readonly after?: Examination;
};

/**
 * Treats a session with faults: repairs it; if that fails and no core patch is active, rolls it back to its youngest
 * valid checkpoint; otherwise leaves it unchanged. Returns undefined when the session has no faults any more, or its
 * conversation has left it. Never rejects.
 */
export async function treat(
  session: SessionSummary,
  examination: Examination,
  options: TreatmentOptions,
): Promise<Treated | undefined> {
  if (isEarlier(session)) return undefined;
  const since = performance.now();
  const { sessionId } = session;
  emit("l0:repair:start", () => ({ sessionId, gate: "store", messages: examination.messages }));
  try {
    const { action, before, after, archive } = await repair(session, options);
    if (action === "sound" || action === "earlier") return undefined;
    if (action === "left")
      return { action: options.isPatched() ? action : "kept", reason: "a repair of the store cannot fix it" };
    emit("l0:repair:complete", () => ({ sessionId, gate: "store", messages: after?.messages ?? 0 }), {
      since,
      kinds: countFaultKinds(before),
    });
    const done = { ...(after && { after }), ...(archive !== undefined && { archive }) };
    if (after === undefined || isSound(after) || options.isPatched()) return { action: "repaired", ...done };
    return { ...(await rollBackOrKeep(session, "faults were left after the repair", options)), ...done };
  } catch (error) {
    if (error instanceof StoreError && error.code === "session-busy")
      return { action: "waiting", reason: error.message };
    // A process that was ended behind its last row has repaired what it could not tell any more.
    const now = await readAgain(session, options);
    if (now !== undefined && isSound(now))
      return { action: "repaired", after: now, reason: `${describeError(error)} Read again, it has no faults.` };
    // OpenClaw refuses the messages before it reads the history: neither patch nor rollback changes that.
    if (examination.record !== undefined) return { action: "kept", reason: describeError(error) };
    return rollBackOrKeep(session, describeError(error), options);
  }
}

/** What the session has now; undefined where it cannot be read. */
async function readAgain(
  { sessionId, agentId }: SessionSummary,
  { scanWorker }: TreatmentOptions,
): Promise<Examination | undefined> {
  const checked = await scanWorker.call("show", { which: sessionId, agentId }).catch(() => undefined);
  return checked?.examination;
}

/** Repairs a session. Rows need OpenClaw's own code and the writer process, a file needs neither. */
function repair(
  session: SessionSummary,
  { scanWorker, writer, strategy, stateDirectory, root }: TreatmentOptions,
): Promise<RepairedSession> {
  return session.kind === "file"
    ? scanWorker.call("repair", { session, strategy })
    : writer.call("repair", { session, strategy, stateDirectory, root });
}

async function rollBackOrKeep(
  session: SessionSummary,
  reason: string,
  { isPatched, writer, stateDirectory, root }: TreatmentOptions,
): Promise<Treated> {
  if (isPatched()) return { action: "left", reason: `${reason} The core patch fixes it in each request.` };
  const archive = session.kind === "file" ? copyIfPossible(session.place) : undefined;
  // An unusable journal or store has no checkpoint to return to.
  const checkpointId = await writer.call("rollBackToSound", { session, stateDirectory, root }).catch(() => undefined);
  return {
    action: checkpointId === undefined ? "kept" : "rolled_back",
    reason,
    ...(archive !== undefined && { archive }),
    ...(checkpointId !== undefined && { checkpointId }),
  };
}

/**
 * Copies a transcript: OpenClaw 2026.2 deletes one that it resets, and rollback and conversation write to it next.
 * Returns undefined when the copy fails.
 */
function copyIfPossible(transcript: string): string | undefined {
  try {
    return copyTranscript(transcript);
  } catch {
    return undefined;
  }
}
