import { groupBy } from "../../base/group-by.ts";
import { inputHash, rememberedHash } from "../../journal/content-hash.ts";
import type { ToolCycle } from "../../journal/tool-cycles.ts";
import { withOutcomes, type KnownOutcome } from "../../transcript/interrupted.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { addAll } from "../../transcript/json/list.ts";
import { isResultMessage, readResult } from "../../transcript/read.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL } from "../../transcript/json/text.ts";
import { callsIn, callsOfHistory, resultsIn, type Call } from "../messages/calls.ts";
import { JournalCheckpoints } from "./checkpoint-store.ts";
import type { Core } from "../base/core.ts";
import { beginsWith } from "../base/session-memory.ts";
import { cycleMessages, resultMessages } from "../messages/cycle-messages.ts";
import { repairIn } from "../messages/native.ts";
import type { RecoveredCycle, RecoverResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";
import type { CycleCall, ToolResultContent } from "../base/types.ts";

/**
 * Completes the history from what the journal knows of interrupted cycles: real results are put behind their calls,
 * calls that had started are marked as such, and calls that had not started leave no trace unless the history contains
 * them. A second run changes nothing; a crash during recovery is made good by the next run.
 */
export async function recover(core: Core, session: Session): Promise<RecoverResult> {
  const open = core.journal.cycles.open(session.id).filter(({ id }) => !core.live.has(id));
  if (open.length === 0) return { recovered: [] };
  const { called } = callsOfHistory(session.messages);
  const recovered = await completeStoredCalls(
    session,
    open.filter(({ callId }) => called.has(callId)),
  );
  const missing = groupCycles(open.filter(({ callId }) => !called.has(callId)));
  addAll(recovered, await storeMissingCalls(core, session, missing));
  const done = new Set(recovered.map(({ id }) => id));
  const closed = open.filter(({ id }) => done.has(id));
  await close(core, session, closed);
  for (const { id, callId, outcome } of recovered) {
    core.emit("l0:cycle:interrupted", () => ({ sessionId: session.id, cycleId: id, callId }), {
      kind: outcome === "result" ? "replayed" : outcome,
    });
  }
  return { recovered: recovered.map(({ id: _id, ...cycle }) => cycle) };
}

/** The result of a call, known only when the history had the call already. */
interface FoundResult {
  readonly call: Call;
  readonly result: NonNullable<ToolCycle["result"]>;
}

/**
 * Stores the result that a tool returned after its caller had stopped waiting: it replaces the text in its place as
 * long as the history contains the call under its id.
 */
export async function storeLateResult(core: Core, session: Session, found: FoundResult): Promise<void> {
  // A cycle that could not be stored is in the journal.
  await recover(core, session);
  if (callsOfHistory(session.messages).called.has(found.call.id)) await putResults(session, [found]);
}

/** Puts results in the place of the texts that their outcomes are unknown. The history has the calls. */
export async function putResults(session: Session, found: readonly FoundResult[]): Promise<void> {
  const cycles = found.map(({ call: { id, name, input }, result }, at): ToolCycle => ({
    id: at,
    sessionId: session.id,
    callId: id,
    toolName: name,
    inputHash: inputHash(input),
    state: "recording",
    result,
    pendingAt: Date.now(),
  }));
  await completeStoredCalls(session, cycles);
}

type Recovered = RecoveredCycle & { id: number };

/** Completes cycles whose calls the history contains. */
async function completeStoredCalls(session: Session, cycles: readonly ToolCycle[]): Promise<Recovered[]> {
  // A call that has a result text already needs no second one.
  const answered = answeredIn(session.messages);
  const hashInput = rememberedHash();
  const known = cycles
    .map((cycle) => toKnownOutcome(cycle, hashInput))
    .filter(({ outcome, callId }) => typeof outcome !== "string" || !answered.has(callId));
  const { messages, placed } = withOutcomes(session.messages, known);
  if (placed.length > 0) {
    const before = new Set(session.messages);
    const inFormat =
      session.format === "openclaw"
        ? messages
        : messages.flatMap((message) =>
            before.has(message) || !isResultMessage(message) ? [message] : asBlocks(message),
          );
    await session.replaceMessages(repairIn(session.format, inFormat).messages);
  }
  const stored = new Set(placed.map(({ id }) => id));
  return cycles.map((cycle) => toRecovered(cycle, stored.has(cycle.id)));
}

/** Converts a result message of OpenClaw to one of Anthropic. */
function asBlocks(message: unknown): unknown[] {
  const { id, content, isError } = readResult(message as JsonObject);
  return resultMessages(
    "anthropic",
    [
      {
        type: "tool_result",
        tool_use_id: String(id),
        content: content as unknown[],
        ...(isError && { is_error: true }),
      },
    ],
    () => "",
    0,
  );
}

/** Returns the ids of all calls that have a result, real or written by openclaw-integrity. */
function answeredIn(messages: readonly unknown[]): Set<unknown> {
  return new Set(messages.flatMap((message) => resultsIn(message).map((result) => readResult(result).id)));
}

/**
 * Completes cycles whose calls the history does not contain, because it gets them together with their results. Each
 * message is put where its cycle began: behind messages that were appended since, it would be told as an answer to
 * these.
 */
async function storeMissingCalls(
  core: Core,
  session: Session,
  groups: readonly (readonly ToolCycle[])[],
): Promise<Recovered[]> {
  const recovered: Recovered[] = [];
  const inside = new Map<number, Missing[]>();
  const behind: Missing[] = [];
  for (const group of groups) {
    // No call of the message ran: it leaves no trace.
    if (group.every(({ state }) => state === "pending")) {
      addAll(
        recovered,
        group.map((cycle) => toRecovered(cycle, false)),
      );
      continue;
    }
    const call = group.find((cycle) => isObject(cycle.call))?.call as CycleCall | undefined;
    // A cycle without its call was journalled by another writer, which stores the call; the cycle stays open for it.
    if (call === undefined) continue;
    const byCall = new Map(group.toReversed().map((cycle) => [cycle.callId, cycle]));
    const missing = { call, results: callsIn(call).map(({ id }) => resultFor(id, byCall.get(id))) };
    const place = checkpointPosition(core, session, group[0]!);
    if (place === session.messages.length) behind.push(missing);
    else if (inside.has(place)) inside.get(place)!.push(missing);
    else inside.set(place, [missing]);
    addAll(
      recovered,
      group.map((cycle) => toRecovered(cycle, true)),
    );
  }
  if (inside.size > 0) await session.replaceMessages(withMissing(session, inside));
  for (const { call, results } of behind) await session.persistToolCycle(call, results);
  return recovered;
}

/** The calls of a message that the history does not have, and their results. */
interface Missing {
  readonly call: CycleCall;
  readonly results: readonly ToolResultContent[];
}

function withMissing({ format, messages }: Session, inside: ReadonlyMap<number, readonly Missing[]>): unknown[] {
  const completed: unknown[] = [];
  messages.forEach((message, at) => {
    for (const { call, results } of inside.get(at) ?? [])
      addAll(completed, cycleMessages({ format, messages: completed }, call, results));
    completed.push(message);
  });
  return completed;
}

/**
 * Returns how many messages precede the place where a cycle began, by its checkpoint; all of them when the history has
 * no such place any more.
 */
function checkpointPosition(core: Core, session: Session, { checkpointId }: ToolCycle): number {
  const { messages } = session;
  const checkpoint = checkpointId === undefined ? undefined : core.journal.checkpoints.get(checkpointId);
  if (!checkpoint) return messages.length;
  const { messageIndex: end, contentHash: hash, leafEntryId } = checkpoint;
  let place = beginsWith(core.chain(session), messages, { end, hash }) ? end : -1;
  // The messages before may have been repaired since; their last entry is still the same.
  if (place < 0 && leafEntryId !== null)
    place = messages.findLastIndex((_, at) => session.entryIdAt(at) === leafEntryId) + 1 || -1;
  if (place < 0) return messages.length;
  // Results stay directly behind the calls of their message.
  while (place < messages.length && resultsIn(messages[place]).length > 0) place++;
  return place;
}

/** Groups cycles by message: the calls of one message share a checkpoint. */
function groupCycles(cycles: readonly ToolCycle[]): ToolCycle[][] {
  return [...groupBy(cycles, ({ checkpointId, id }) => checkpointId ?? `cycle ${id}`).values()];
}

async function close(core: Core, session: Session, cycles: readonly ToolCycle[]): Promise<void> {
  const { journal } = core;
  const [waiting, acted] = [
    cycles.filter(({ state }) => state === "pending"),
    cycles.filter(({ state }) => state !== "pending"),
  ];
  journal.transaction(() => {
    journal.cycles.commit(acted.map(({ id }) => id));
    journal.cycles.rollBack(waiting.map(({ id }) => id));
  });
  // Also where the retention has deleted the checkpoint: what follows is no unfinished part of these operations.
  for (const { checkpointId } of cycles) core.ended(session, checkpointId);
  const actedAt = new Set(acted.map(({ checkpointId }) => checkpointId));
  for (const { checkpointId } of waiting)
    if (checkpointId !== undefined && !actedAt.has(checkpointId)) journal.checkpoints.rolledBack(checkpointId);
  for (const id of actedAt) if (id !== undefined) await commitIfThere(core, session, id);
}

async function commitIfThere(core: Core, session: Session, id: string): Promise<void> {
  if (core.journal.checkpoints.get(id)) await new JournalCheckpoints(core, session).commit(id);
}

function toKnownOutcome(
  { id, callId, toolName, result, state, inputHash: hash, ...times }: ToolCycle,
  hashInput: (input: unknown) => string,
): KnownOutcome & { id: number } {
  const outcome = result ? { result } : state === "pending" ? "not_started" : "interrupted";
  const at = times.finishedAt ?? times.startedAt ?? times.pendingAt;
  return { id, callId, toolName, outcome: textual(outcome), at, isInput: (input) => hashInput(input ?? {}) === hash };
}

/** Converts a text result to a list of blocks, as OpenClaw stores it. */
function textual(outcome: KnownOutcome["outcome"]): KnownOutcome["outcome"] {
  if (typeof outcome === "string" || typeof outcome.result.content !== "string") return outcome;
  return { result: { ...outcome.result, content: [{ type: "text", text: outcome.result.content }] } };
}

function resultFor(id: string, cycle: ToolCycle | undefined): ToolResultContent {
  const result = { type: "tool_result", tool_use_id: id } as const;
  if (cycle?.result)
    return {
      ...result,
      content: cycle.result.content as string | unknown[],
      ...(cycle.result.isError && { is_error: true }),
    };
  return { ...result, content: cycle?.state === "pending" ? NOT_STARTED_CALL : INTERRUPTED_CALL, is_error: true };
}

function toRecovered({ id, callId, toolName, result, state }: ToolCycle, stored: boolean): Recovered {
  return { id, callId, toolName, outcome: result ? "result" : state === "pending" ? "not_started" : "unknown", stored };
}
