import { newestOnly, withoutRefused } from "../../recovery/stopped.ts";
import { treatAll, treatBeginning } from "../../recovery/rungs.ts";
import { isStorable, type Treatment } from "../../recovery/treatment.ts";
import { CHANGED_NOTE, WITHOUT_RESULTS_NOTE } from "../../recovery/words.ts";
import { addAll } from "../../transcript/json/list.ts";
import type { Core } from "../base/core.ts";
import { reasonOf } from "../base/errors.ts";
import { beginsWith, type Beginning, noRungs } from "../base/memory.ts";
import { repairIn } from "../messages/native.ts";
import type { Session } from "../base/session.ts";
import { WITHOUT_HISTORY } from "./words.ts";

/** One `guardCall`: its requests, and what was found out between them. */
export class Attempt {
  /** How far the ladder was climbed in this call. */
  readonly rungs = noRungs();
  /** Forms that were tried in this call. */
  readonly treatments: Treatment[] = [];
  /** Whether a refusal of this call named no fault of the history. */
  isHunch = false;
  /** Results of tools were left out for a content filter's sake. */
  leavesResults = false;
  /** Everything but the newest words is left out for a content filter's sake. */
  leavesHistory = false;
  /** Whether another request may be made. */
  mayResend = true;
  /** The history that went out last, before its treatment. */
  base: Beginning = { end: 0, hash: "" };
  /** The messages that went out last. */
  sent: readonly unknown[] = [];
  /** The checkpoint of the last request. */
  checkpointId: string | undefined;

  /** The messages of the next request. The session is not changed. */
  outgoing(core: Core, session: Session): readonly unknown[] {
    const { messages } = session;
    const chain = core.chain(session);
    const memory = core.memory(session);
    this.base = { end: messages.length, hash: chain.at(messages) };
    let next: unknown[] = withoutRefused(messages as unknown[]);
    if (this.leavesHistory) next = newestOnly(next) ?? next;
    const { hunch } = memory;
    if (hunch && !this.leavesHistory && beginsWith(chain, messages, hunch))
      next = treatBeginning(next, hunch.end, hunch.treatments);
    next = treatAll(next, [...memory.treatments, ...this.treatments]);
    this.sent = next === messages ? messages : repairIn(session.format, next).messages;
    return this.sent;
  }

  /**
   * An answer came. What led to it is remembered, and stored where it can be; what the user is to be told. Never
   * rejects.
   */
  async answered(core: Core, session: Session): Promise<{ notes: string[]; warning: string | undefined }> {
    const memory = core.memory(session);
    Object.assign(memory, { rungs: noRungs(), refusals: 0, stops: 0, isHistoryFiltered: this.leavesHistory });
    if (this.leavesHistory) delete memory.taken;
    else memory.taken = this.base;
    const notes = [
      ...(this.treatments.length > 0 ? [CHANGED_NOTE] : []),
      ...(this.leavesResults ? [WITHOUT_RESULTS_NOTE] : []),
      ...(this.leavesHistory ? [WITHOUT_HISTORY] : []),
    ];
    if (this.treatments.length === 0 || this.leavesHistory) return { notes, warning: undefined };
    memory.hunch = { ...this.base, treatments: this.treatments };
    if (this.isHunch && ++memory.hunches < 2) return { notes, warning: undefined };
    return { notes, warning: await this.#stored(core, session) };
  }

  async #stored(core: Core, session: Session): Promise<string | undefined> {
    try {
      await this.#store(core, session);
      return undefined;
    } catch (error) {
      return `The history goes out in another form in this process only, since it could not be stored so: ${reasonOf(error)}`;
    }
  }

  async #store(core: Core, session: Session): Promise<void> {
    const memory = core.memory(session);
    const { messages } = session;
    const { end } = this.base;
    // Somebody has taken the session elsewhere meanwhile.
    if (!beginsWith(core.chain(session), messages, this.base)) return;
    const storable = this.treatments.filter(isStorable);
    if (storable.length === 0) {
      addAll(memory.treatments, this.treatments);
      delete memory.hunch;
      return;
    }
    // What the call has added behind is not looked at: its own calls are still open.
    const beginning = repairIn(session.format, treatAll(messages.slice(0, end), storable)).messages;
    await session.replaceMessages([...beginning, ...messages.slice(end)]);
    addAll(
      memory.treatments,
      this.treatments.filter((treatment) => !isStorable(treatment)),
    );
    delete memory.hunch;
    memory.taken = { end: beginning.length, hash: core.chain(session).at(session.messages, beginning.length) };
  }
}
