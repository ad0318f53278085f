import { isSound, kindsOf, type Examination, type RepairedSession } from "../../health/index.ts";
import { emit } from "../../observe/index.ts";
import { copyTranscript } from "../../store/archives/archive-copy.ts";
import { reasonOf } from "../../store/errors.ts";
import { StoreError, type SessionSummary } from "../../store/index.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";
import type { ScanWorker } from "../remote/scan-worker.ts";
import type { PluginIncident } from "./incident.ts";
import type { RemoteCalls } from "../remote/remote.ts";
import type { StoreWriter } from "../remote/store-writer.ts";

/** What a treatment works with. */
export interface TreatmentOptions {
  readonly stateDirectory: string;
  /** The folder of the OpenClaw that runs. */
  readonly root: string;
  readonly strategy: RepairStrategy;
  readonly scanWorker: RemoteCalls<ScanWorker>;
  readonly writer: RemoteCalls<StoreWriter>;
  /** The core patch answers what the store cannot mend, so that nothing has to be given up. */
  readonly isPatched: () => boolean;
}

/** What was done about a session that is faulty. */
export type Treated = Pick<PluginIncident, "action" | "reason" | "archive" | "checkpointId"> & {
  readonly after?: Examination;
};

/**
 * The incident response of the source document: repair; else, where no core patch answers such a conversation, go on
 * from its youngest checkpoint that holds; else keep it as it is. Undefined when it is sound by now. Never rejects.
 * Issue 6, item 4.
 */
export async function treat(
  session: SessionSummary,
  examination: Examination,
  options: TreatmentOptions,
): Promise<Treated | undefined> {
  const since = performance.now();
  const { sessionId } = session;
  emit("l0:repair:start", () => ({ sessionId, gate: "store", messages: examination.messages }));
  try {
    const { action, before, after, archive } = await repair(session, options);
    if (action === "sound") return undefined;
    if (action === "left")
      return { action: options.isPatched() ? action : "kept", reason: "a repair of the store cannot mend it" };
    emit("l0:repair:complete", () => ({ sessionId, gate: "store", messages: after?.messages ?? 0 }), {
      since,
      kinds: kindsOf(before),
    });
    const done = { ...(after && { after }), ...(archive !== undefined && { archive }) };
    if (after === undefined || isSound(after) || options.isPatched()) return { action: "repaired", ...done };
    return { ...(await giveWay(session, "faults were left after the repair", options)), ...done };
  } catch (error) {
    if (error instanceof StoreError && error.code === "session-busy")
      return { action: "waiting", reason: error.message };
    return giveWay(session, reasonOf(error), options);
  }
}

/** Rows are repaired by OpenClaw's own code, a file needs none of it. */
function repair(
  session: SessionSummary,
  { scanWorker, writer, strategy, stateDirectory, root }: TreatmentOptions,
): Promise<RepairedSession> {
  return session.kind === "file"
    ? scanWorker.call("repair", { session, strategy })
    : writer.call("repair", { session, strategy, stateDirectory, root });
}

async function giveWay(
  session: SessionSummary,
  reason: string,
  { isPatched, writer, stateDirectory, root }: TreatmentOptions,
): Promise<Treated> {
  if (isPatched()) return { action: "left", reason: `${reason} The core patch answers it where the request is made.` };
  const archive = session.kind === "file" ? keep(session.place) : undefined;
  // A journal or a store that cannot be used has nothing to go back to.
  const checkpointId = await writer.call("rollBackToSound", { session, stateDirectory, root }).catch(() => undefined);
  return {
    action: checkpointId === undefined ? "kept" : "rolled_back",
    reason,
    ...(archive !== undefined && { archive }),
    ...(checkpointId !== undefined && { checkpointId }),
  };
}

/**
 * OpenClaw 2026.2 deletes a transcript that it resets. A copy: the transcript is written to next, by the way back and
 * by the conversation.
 */
function keep(transcript: string): string | undefined {
  try {
    return copyTranscript(transcript);
  } catch {
    return undefined;
  }
}
