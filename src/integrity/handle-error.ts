import { chooseTreatment } from "../recovery/choose.ts";
import type { HistoryFailure } from "../recovery/choose.ts";
import type { ProviderFailure } from "../recovery/failure.ts";
import { archiveIdOf } from "../store/archive-id.ts";
import { isStorable, treat, type Treatment } from "../recovery/treatment.ts";
import { REFUSED_OPENING } from "../recovery/words.ts";
import type { Checkpoint } from "../journal/checkpoints.ts";
import { JournalCheckpoints } from "./checkpoint-store.ts";
import type { Core } from "./core.ts";
import { reasonOf } from "./errors.ts";
import { repairIn } from "./native.ts";
import { failureOf } from "./provider-error.ts";
import { recover } from "./recover.ts";
import { repair } from "./repair.ts";
import { reset } from "./reset.ts";
import type { ErrorRecovery } from "./results.ts";
import { takeBack } from "./rollback.ts";
import type { Session } from "./session.ts";
import { validateMessages } from "./validate.ts";

/** Decides what an error means for the session and does it. See SessionIntegrity.handleError. */
export async function handleError(core: Core, session: Session, error: unknown): Promise<ErrorRecovery> {
  const failure = failureOf(error);
  const since = performance.now();
  tellFailure(core, session, failure);
  const recovery = core.config.enabled ? await recoveryFrom(core, session, error, failure) : escalate(error, failure);
  await core.attempt("The incident", () =>
    core.journal.incidents.log({ sessionId: session.id, kind: failure.kind, details: { action: recovery.action, ...(recovery.checkpoint && { checkpoint: recovery.checkpoint }), ...recovery.details } }),
  );
  const rung = recovery.details?.rung;
  if (typeof rung === "string") core.emit("l0:recovery:retried", () => ({ sessionId: session.id }), { kind: rung });
  core.emit("l0:recovery:complete", () => ({ sessionId: session.id, steps: 1, rungs: typeof rung === "string" ? [rung] : [], isArchived: recovery.action === "reset" }), {
    since, kind: recovery.action === "escalate" ? "escalated" : recovery.action,
  });
  return recovery;
}

function tellFailure(core: Core, { id: sessionId }: Session, failure: ProviderFailure): void {
  if (failure.kind === "content_filter") core.emit("l0:recovery:stopped", () => ({ sessionId }), { kind: failure.part });
  if (failure.kind !== "history") return;
  const { message, block, ids, problem } = failure;
  core.emit("l0:recovery:refused", () => ({ sessionId, message, block, ids }), { kind: problem });
}

async function recoveryFrom(core: Core, session: Session, error: unknown, failure: ProviderFailure): Promise<ErrorRecovery> {
  // What a crash has cut off comes first: its results are what is not taken back.
  await recover(core, session);
  switch (failure.kind) {
    case "content_filter":
      return afterFilter(core, session, failure.part);
    case "history":
      return afterRefusal(core, session, error, failure);
    default:
      return afterOther(core, session, error, failure);
  }
}

/** A content filter is no corruption: the turn is taken back, the user is told, and the same is not sent again. */
async function afterFilter(core: Core, session: Session, part: string): Promise<ErrorRecovery> {
  const checkpoint = await new JournalCheckpoints(core, session).getLatest(session.id);
  const what = part === "answer" ? "stopped the answer" : part === "prompt" ? "refused what was sent" : "stopped this turn";
  if (checkpoint) {
    const { messagesRemoved } = await takeBack(core, session, checkpoint, { keepUser: false });
    const message = `The provider's content filter ${what}. The conversation was taken back by ${count(messagesRemoved)}; what tools have done stays. Please say it in another way.`;
    return { action: "rolled_back", message, checkpoint: checkpoint.id, details: { part, messagesRemoved } };
  }
  const repaired = await mend(core, session);
  const message = `The provider's content filter ${what}, and there is no checkpoint to go back to. Please say it in another way.`;
  return { action: repaired ? "repaired" : "escalate", message, details: { part } };
}

/** The rungs for a history that a provider refuses; each once, until a call succeeds again. */
async function afterRefusal(core: Core, session: Session, error: unknown, failure: HistoryFailure): Promise<ErrorRecovery> {
  const rungs = rungsOf(core, session);
  const details = { problem: failure.problem };
  const reason = reasonOf(error);
  if (!validateMessages(session, { allowOpenEnd: false }).valid && !core.config.autoRepair) {
    return { action: "escalate", message: `The provider refused the history, which is corrupt: ${reason}. repair() makes it valid.`, details: { ...details, offer: "repair" } };
  }
  if (await mend(core, session)) return { action: "repaired", message: "The history was corrupt and has been repaired. Please send it again.", details: { ...details, rung: "repair" } };
  if (!core.config.autoRepair) return { ...escalate(error, failure), details: { ...details, offer: "reset" } };
  for (const [rung, treatment] of treatmentsFor(session, failure)) {
    if (rungs.has(rung)) continue;
    rungs.add(rung);
    if (treatment && (await treated(session, treatment))) {
      const message = "The provider refused a part of the history. It is kept, and goes out in another form. Please send it again.";
      return { action: "repaired", message, details: { ...details, rung: treatment.kind } };
    }
  }
  if (rungs.has("reset")) return escalate(error, failure);
  rungs.add("reset");
  const { archive, remainingMessages } = await reset(core, session, {}, REFUSED_OPENING);
  const message = `The provider refused the history in every form, so the conversation was begun anew with what was said last. The history is kept${archive === undefined ? "" : ` as ${archiveIdOf(archive)}`}.`;
  return { action: "reset", message, details: { ...details, archive, remainingMessages } };
}

/** Not about the history: what was added by the operation that failed is taken back, and the session is as it was before it. */
async function afterOther(core: Core, session: Session, error: unknown, failure: ProviderFailure): Promise<ErrorRecovery> {
  const checkpoint = await new JournalCheckpoints(core, session).getLatest(session.id);
  if (checkpoint && isUnderWay(checkpoint) && checkpoint.messageIndex < session.messages.length) {
    const { messagesRemoved } = await takeBack(core, session, checkpoint, { keepUser: true });
    if (messagesRemoved > 0) {
      const message = `The call failed (${reasonOf(error)}). Its unfinished part, ${count(messagesRemoved)}, was taken back.`;
      return { action: "rolled_back", message, checkpoint: checkpoint.id, details: { failure: failure.kind, messagesRemoved } };
    }
  }
  return escalate(error, failure);
}

/** True while the operation of a checkpoint has not ended. One that somebody made by hand is for them to go back to. */
function isUnderWay({ committedAt, operation }: Checkpoint): boolean {
  return committedAt === undefined && operation !== "manual";
}

function escalate(error: unknown, failure: ProviderFailure): ErrorRecovery {
  return { action: "escalate", message: reasonOf(error), details: { failure: failure.kind } };
}

/** Repairs what is corrupt by the rules we know, and completes interrupted cycles; false when nothing was. */
async function mend(core: Core, session: Session): Promise<boolean> {
  if (!core.config.autoRepair) return false;
  return (await repair(core, session)).repaired;
}

/** The place that the provider names, then all tool traffic as words. Only what can be stored message by message. */
function treatmentsFor(session: Session, failure: HistoryFailure): [string, Treatment | undefined][] {
  const chosen = chooseTreatment({ failure, messages: session.messages, sent: session.messages });
  return [
    ["place", chosen && isStorable(chosen) ? chosen : undefined],
    ["flat", { kind: "flat", keepMedia: failure.problem !== "image" }],
  ];
}

async function treated(session: Session, treatment: Treatment): Promise<boolean> {
  const messages = treat([...session.messages], treatment);
  const isSame = messages.length === session.messages.length && messages.every((message, at) => message === session.messages[at]);
  if (isSame) return false;
  await session.replaceMessages(repairIn(session.format, messages).messages);
  return true;
}

function rungsOf(core: Core, session: Session): Set<string> {
  let rungs = core.rungs.get(session.id);
  if (!rungs) core.rungs.set(session.id, (rungs = new Set()));
  return rungs;
}

function count(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}
