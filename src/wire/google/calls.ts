/** A call in a Gemini body that has no response yet. */
export interface OpenCall {
  readonly id: unknown;
  readonly name: unknown;
}

interface Kept extends OpenCall {
  /** Position among all calls. */
  readonly at: number;
  isTaken: boolean;
}

/** Calls in their order; those at the beginning that were taken are skipped for good. */
class Queue {
  readonly #calls: Kept[] = [];
  #next = 0;

  add(call: Kept): void {
    this.#calls.push(call);
  }

  first(): Kept | undefined {
    while (this.#calls[this.#next]?.isTaken) this.#next++;
    return this.#calls[this.#next];
  }

  open(): Kept[] {
    return this.#calls.filter(({ isTaken }) => !isTaken);
  }
}

/** The calls that wait for their responses, with look-ups by id, name and turn; linear in the number of calls. */
export class OpenCalls {
  #added = 0;
  readonly #byId = new Map<unknown, Queue>();
  readonly #byName = new Map<unknown, Queue>();
  readonly #byTurn = new Map<number, Queue>();
  /** The calls by turn, then by name. */
  readonly #byTurnAndName = new Map<number, Map<unknown, Queue>>();

  add({ id, name }: OpenCall | Readonly<Record<string, unknown>>, turn: number): void {
    const call: Kept = { id, name, at: this.#added++, isTaken: false };
    queueIn(this.#byId, id).add(call);
    queueIn(this.#byName, name).add(call);
    queueIn(this.#byTurn, turn).add(call);
    const inTurn = this.#byTurnAndName.get(turn) ?? new Map<unknown, Queue>();
    this.#byTurnAndName.set(turn, inTurn);
    queueIn(inTurn, name).add(call);
  }

  /** Takes the first open call with this id. */
  takeById(id: unknown): OpenCall | undefined {
    return taken(this.#byId.get(id)?.first());
  }

  /** Takes the first open call with this name, of this turn where it has one. */
  takeNamed(name: unknown, turn?: number): OpenCall | undefined {
    const inTurn = turn === undefined ? undefined : this.#byTurnAndName.get(turn)?.get(name)?.first();
    return taken(inTurn ?? this.#byName.get(name)?.first());
  }

  /** Returns the open calls of a turn, in their order; pass each one that is used to {@link take}. */
  ofTurn(turn: number): OpenCall[] {
    return this.#byTurn.get(turn)?.open() ?? [];
  }

  take(call: OpenCall): OpenCall {
    (call as Kept).isTaken = true;
    return call;
  }
}

function taken(call: Kept | undefined): OpenCall | undefined {
  if (call) call.isTaken = true;
  return call;
}

function queueIn<Key>(queues: Map<Key, Queue>, key: Key): Queue {
  const queue = queues.get(key) ?? new Queue();
  queues.set(key, queue);
  return queue;
}
