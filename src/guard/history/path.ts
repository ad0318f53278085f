import type { UnansweredMessage } from "../../journal/unanswered-messages.ts";
import { readArrival, listQuestionIds } from "../../timetravel/index.ts";
import { isObject, toJson } from "../../transcript/json/json.ts";
import { isCarried, messageText } from "../base/user-text.ts";
import { isRoleEntry } from "../openclaw/entries.ts";

type Entry = Record<string, unknown>;

/** The path of a session, in which each of many journalled messages is looked up without another walk. */
export class Path {
  readonly #entries: readonly Entry[];
  /** The places of the entries by their ids. */
  readonly #places = new Map<unknown, number>();
  /** By place: the first message there or behind it. */
  readonly #messages: (Entry | undefined)[] = [];
  readonly #lastAnswer: number;
  /** Ids of the questions that carryovers on the path repeat. */
  #carried: Set<string> | undefined;
  /** The places of the user messages by their content. */
  #said: Map<string, number[]> | undefined;

  constructor(branch: readonly unknown[]) {
    const entries = branch.filter(isObject);
    this.#entries = entries;
    for (let at = entries.length - 1; at >= 0; at--) {
      this.#places.set(entries[at]!.id, at);
      this.#messages[at] = entries[at]!.type === "message" ? entries[at] : this.#messages[at + 1];
    }
    this.#lastAnswer = entries.findLastIndex((entry) => isRoleEntry("assistant", entry));
  }

  get leafId(): unknown {
    return this.#entries.at(-1)?.id;
  }

  has(entryId: string): boolean {
    return this.#places.has(entryId);
  }

  /**
   * True when an assistant message follows the message on the path, or when a carryover on the path repeats it. The
   * second happens only after a kill directly behind the move.
   */
  isAnswered({ entryId }: UnansweredMessage): boolean {
    const place = this.#places.get(entryId);
    if (place !== undefined) return this.#lastAnswer >= place;
    this.#carried ??= new Set(
      this.#entries.flatMap((entry) => {
        const arrival = readArrival(entry);
        return arrival === undefined ? [] : listQuestionIds(arrival);
      }),
    );
    return this.#carried.has(entryId);
  }

  /** True when the message's parent is on the path. */
  isBegun({ parentId }: UnansweredMessage): boolean {
    return parentId === null || this.#places.has(parentId);
  }

  /** Returns the first message behind the message's parent; undefined when there is none. */
  nextBehind(lost: UnansweredMessage): Entry | undefined {
    return this.isBegun(lost) ? this.#messages[this.#placeBehind(lost)] : undefined;
  }

  /** True for the last message of the path. */
  isLast(entry: Entry): boolean {
    return this.#messages.findLast((message) => message !== undefined) === entry;
  }

  /**
   * True when a message with the same content follows its parent under another id: for a retry OpenClaw removes a
   * message from the path and stores it again. Also where its text is lines of a later message: a run that takes the
   * place of another one has both words in its prompt.
   */
  isSaidAgain(lost: UnansweredMessage): boolean {
    if (!this.isBegun(lost)) return false;
    const from = this.#placeBehind(lost);
    const places = this.#saidAt().get(toJson((lost.message as Entry).content)) ?? [];
    for (let nth = places.length - 1; nth >= 0 && places[nth]! >= from; nth--)
      if (this.#entries[places[nth]!]!.id !== lost.entryId) return true;
    const words = messageText(lost.message as Entry);
    return this.#entries.some(
      (entry, at) =>
        at >= from &&
        entry.id !== lost.entryId &&
        isRoleEntry("user", entry) &&
        isCarried(messageText(entry.message as Entry), words),
    );
  }

  #placeBehind({ parentId }: UnansweredMessage): number {
    return parentId === null ? 0 : this.#places.get(parentId)! + 1;
  }

  #saidAt(): Map<string, number[]> {
    if (this.#said) return this.#said;
    const said = (this.#said = new Map<string, number[]>());
    this.#entries.forEach((entry, at) => {
      if (!isRoleEntry("user", entry)) return;
      const content = toJson((entry.message as Entry).content);
      const places = said.get(content);
      if (places) places.push(at);
      else said.set(content, [at]);
    });
    return said;
  }
}
