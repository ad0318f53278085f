import { groupBy } from "../../base/group-by.ts";
import { inputHash } from "../../journal/content-hash.ts";
import { freshId } from "../../transcript/json/hash.ts";
import { isObject } from "../../transcript/json/json.ts";
import { readCall, withCallId } from "../../transcript/read.ts";
import { callBlocks, callsIn, isAssistantMessage, type Call } from "../messages/calls.ts";
import type { Core } from "../base/core.ts";
import { beginsWith } from "../base/session-memory.ts";
import type { Session } from "../base/session.ts";
import type { StoredCycle } from "../messages/stored-form.ts";
import type { CycleCall } from "../base/types.ts";

/** A cycle with ids that the history does not have. */
export interface UniqueCycle extends StoredCycle {
  /** The first of the calls, when the history has each of them already, with its id, name and input. */
  readonly repeated?: Call;
}

/**
 * Gives calls whose ids earlier calls of the history have ids of their own: many servers begin with `call_0` in each
 * answer, and no API accepts an id twice. The same history and call give the same id, and `repair` gives it too.
 */
export function withOwnIds(messages: readonly unknown[], { cycle, calls }: StoredCycle): UniqueCycle {
  const earlier = groupBy(messages.flatMap(callBlocks).map(readCall), ({ id }) => id);
  if (!calls.some(({ id }) => earlier.has(id))) return { cycle, calls };
  const usedIds = new Set<unknown>(calls.map(({ id }) => id));
  let isRepeated = true;
  const ids = calls.map(({ id, name, input }) => {
    if (!earlier.has(id)) {
      isRepeated = false;
      return id;
    }
    const hash = inputHash(input);
    let isKnown = false;
    let freeId = id;
    // The calls of the history that were given ids of their own for the same reason belong to this id too.
    for (let use = 1; earlier.has(freeId) || (use > 1 && usedIds.has(freeId)); use++) {
      const known = earlier.get(freeId) ?? [];
      isKnown ||= known.some((call) => call.name === name && inputHash(call.arguments ?? {}) === hash);
      freeId = freshId(id, use, new Set());
    }
    usedIds.add(freeId);
    isRepeated &&= isKnown;
    return freeId;
  });
  const renamed = withIds(cycle, ids);
  return { cycle: renamed, calls: callsIn(renamed), ...(isRepeated && { repeated: calls[0]! }) };
}

function withIds(cycle: CycleCall, ids: readonly string[]): CycleCall {
  if (!isAssistantMessage(cycle)) return withCallId({ ...cycle }, ids[0]) as unknown as CycleCall;
  const blocks = new Map(callBlocks(cycle).map((block, at) => [block as object, ids[at]]));
  const content = cycle.content.map((block) =>
    blocks.has(block) ? withCallId(block as Record<string, unknown>, blocks.get(block)) : block,
  );
  return { ...cycle, content };
}

/**
 * Returns whether a model has answered this history through `guardCall`, and nothing of the assistant's was stored
 * since: the next calls are then that answer's, and not ones that were passed before.
 */
export async function hasNewAnswer(core: Core, session: Session): Promise<boolean> {
  const { messages } = session;
  const chain = core.chain(session);
  const spoken = messages.findLastIndex((message) => isObject(message) && message.role === "assistant");
  const { taken } = core.memory(session);
  if (taken && taken.end > spoken && beginsWith(chain, messages, taken)) return true;
  // The answer may have come in an earlier process.
  const answered = await core.degrade("The search for the answer", [], () =>
    core.journal.checkpoints
      .list(session.id)
      .some(
        ({ operation, committedAt, messageIndex: end, contentHash: hash }) =>
          operation === "api_call" &&
          committedAt !== undefined &&
          end > spoken &&
          beginsWith(chain, messages, { end, hash }),
      ),
  );
  return answered === true;
}
