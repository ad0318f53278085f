import { v5 as uuidOfName } from "uuid";
import { nameInline, quotedInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import type { AnchorEntry } from "./anchor.ts";
import { stateChecksum } from "./checksum.ts";
import type { Command } from "../decide/decision.ts";
import { computeDelta } from "./delta.ts";
import { type Environment, isoTime } from "./environment.ts";
import { ContinuityError, continuityError, type ContinuityErrorCode } from "../base/errors.ts";
import { eventRow, type LedgerEvent, payloadOf, readLoneEvent, SCHEMA_VERSION } from "./events.ts";
import { canonicalText, sha256 } from "../base/json.ts";
import { assertNotOlder } from "./older-copy.ts";
import type { Position } from "./position.ts";
import { replayTail, restore } from "./replay.ts";
import { writeSnapshot } from "./snapshots.ts";
import type { WorkState } from "../base/state.ts";
import type { Commit, EventRow, WorkflowRow } from "./store.ts";

/** A command, and the rows that it writes beside its event. */
export interface Request {
  readonly command: Command;
  /** Author of the command. */
  readonly author: Author;
  /** Content of the command; tells a second delivery from another command with the same id. */
  readonly content: object;
  /** A command that is delivered twice with one id is executed once. */
  readonly command_id?: string | undefined;
  /**
   * Called before each try, for data that is not part of the state. Returns the rows to write with the event, or `stale`
   * when it has seen that the ledger goes on behind this position.
   */
  readonly prepare?: (moment: {
    readonly at: string;
    readonly state: WorkState;
    readonly event_seq: number;
  }) => Promise<Omit<Commit, "event"> | "stale">;
}

/** The outcome of a command. */
export interface CommandOutcome {
  readonly event: LedgerEvent;
  /** The state after the event, or a later one when the command was executed before. */
  readonly state: WorkState;
  readonly duplicate: boolean;
}

/** UUID namespace of the event ids of commands with a command_id. */
const COMMAND_NAMESPACE = "6f636963-6f6e-5074-8a6e-756974790001";
const MAX_TRIES = 200;
const MAX_UNAVAILABLE = 30;
const LONGEST_PAUSE_MS = 500;
/** Refusals that may no longer hold after the newest events are read. */
const FROM_STALE_STATE: ReadonlySet<ContinuityErrorCode> = new Set([
  "not-found",
  "invalid-transition",
  "dependencies-open",
  "tasks-open",
  "goal-not-active",
  "fenced",
  "step-not-started",
  // A project that was removed and created again has other rows than the state that is known here.
  "damaged",
]);

/**
 * One project's ledger, as this process knows it. Commands are decided on the state in memory and written only if the
 * ledger still ends there (compare and set on its position); else the tail is read and they are decided again. So every
 * command that is acknowledged is in the ledger exactly once, at a place where it was allowed.
 */
export class Workflow {
  readonly #environment: Environment;
  readonly #row: WorkflowRow;
  #position: Position | undefined;
  #snapshotAt = { event_seq: 0, time: 0 };
  #bytesSince = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(environment: Environment, row: WorkflowRow) {
    this.#environment = environment;
    this.#row = row;
  }

  get workflow_id(): string {
    return this.#row.workflow_id;
  }

  /** Executes a command after all earlier commands. */
  execute(request: Request): Promise<CommandOutcome> {
    return this.#inTurn(() => this.#execute(request));
  }

  /** Returns the state at the end of the ledger. */
  state(): Promise<WorkState> {
    return this.#inTurn(async () => (await this.#refreshed()).state);
  }

  /** Drops the state in memory; the next command restores it. */
  forget(): void {
    this.#position = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work, work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #execute(request: Request): Promise<CommandOutcome> {
    const event_id =
      request.command_id === undefined
        ? this.#environment.newId()
        : uuidOfName(`${this.workflow_id}/${request.command_id}`, COMMAND_NAMESPACE);
    const command = sha256(canonicalText(request.content));
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // Read before the search for an earlier delivery: if another delivery writes the event meanwhile, this position
      // is taken and the commit is stale.
      const before = this.#position ?? (await this.#refreshed());
      if (request.command_id !== undefined) {
        const earlier = await this.#earlier(event_id, command, request.command_id);
        if (earlier) return earlier;
      }
      const outcome = await this.#attempt(request, event_id, command, before);
      if (outcome) return outcome;
      // Another process has written first. With many writers, some wait.
      if (tries > 3) await this.#environment.sleep(this.#environment.random() * Math.min(LONGEST_PAUSE_MS, tries * 2));
      await this.#refreshed();
    }
    throw continuityError("busy", {
      expected: "a free position in the ledger",
      found: `${MAX_TRIES} tries in which another process wrote first`,
      todo: "Try again. Nothing was written.",
    });
  }

  /** Returns undefined when the ledger has grown meanwhile. */
  async #attempt(
    request: Request,
    event_id: string,
    command: string,
    before: Position,
  ): Promise<CommandOutcome | undefined> {
    const { now, producer_version, crashPoint } = this.#environment;
    const at = isoTime(now());
    const event_seq = before.event_seq + 1;
    // Another process has written here, or did so in a newer copy of the store than this one.
    if (this.#isBehind(this.#environment.store.anchor?.read(this.workflow_id), before)) return undefined;
    let beside;
    let decision;
    try {
      beside = (await request.prepare?.({ at, state: before.state, event_seq: before.event_seq })) ?? {};
      if (beside === "stale") return undefined;
      decision = request.command(before.state, { seq: event_seq, at, author: request.author });
    } catch (error) {
      if (!(error instanceof ContinuityError) || !FROM_STALE_STATE.has(error.code)) throw error;
      const fresh = await this.#refreshed();
      if (fresh.event_seq === before.event_seq && fresh.checksum === before.checksum) throw error;
      return undefined;
    }
    const payload = payloadOf(decision, computeDelta(before.state, decision.state), {
      event_id,
      workflow_id: this.workflow_id,
      event_seq,
      timestamp: at,
      schema_version: SCHEMA_VERSION,
      producer_version,
      author: request.author,
      previous: before.checksum,
      command,
      state_checksum: stateChecksum(decision.state),
    });
    const row = eventRow(payload);
    if (event_seq === 1) await this.#retried(() => this.#environment.store.ensureWorkflow(this.#row));
    crashPoint("commit:before");
    const outcome = await this.#commit({ event: row, ...beside }, before);
    if (outcome === "stale") return undefined;
    if (outcome === "lease-held") throw await this.#leaseHeld(beside.acquire?.owner_id);
    crashPoint("commit:after");
    this.#position = { state: decision.state, event_seq, checksum: row.checksum };
    this.#bytesSince += row.payload.length;
    await this.#snapshotIfDue(at);
    return { event: { ...payload, checksum: row.checksum }, state: decision.state, duplicate: false };
  }

  /**
   * Commits; a store that fails during a commit leaves open whether the event was written, so the ledger is searched
   * for the event when the store answers again.
   */
  async #commit(commit: Commit, before: Position): Promise<"committed" | "stale" | "lease-held"> {
    const { store } = this.#environment;
    for (let tries = 0; ; tries++) {
      try {
        if (tries > 0 && (await this.#isWritten(commit.event))) return "committed";
        const outcome = await store.commit(commit);
        // The event at this position may be this command's own first try, which arrived late.
        return outcome === "stale" && tries > 0 && (await this.#isWritten(commit.event)) ? "committed" : outcome;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (tries >= MAX_UNAVAILABLE) {
          this.#position = undefined;
          throw continuityError("unavailable", {
            expected: "the store to answer",
            found: `${MAX_UNAVAILABLE} tries without an answer after event ${before.event_seq + 1} (${commit.event.event_id}) was sent; it may have been written`,
            todo: "Repeat the command with the same command_id when the store answers again: it is executed once.",
            cause: error,
          });
        }
        await this.#pause(tries);
      }
    }
  }

  async #isWritten(event: EventRow): Promise<boolean> {
    return (await this.#environment.store.eventById(event.workflow_id, event.event_id))?.checksum === event.checksum;
  }

  async #earlier(event_id: string, command: string, command_id: string): Promise<CommandOutcome | undefined> {
    const row = await this.#retried(() => this.#environment.store.eventById(this.workflow_id, event_id));
    if (!row) return undefined;
    const event = readLoneEvent(row);
    if (event.command !== command) {
      throw continuityError("command-mismatch", {
        expected: `command ${nameInline(command_id)} to have the same content at each delivery`,
        found: `another command with this id at event ${event.event_seq} (${event.event_type})`,
        todo: "Use another command_id for each command. Nothing was written.",
      });
    }
    return { event, state: (await this.#refreshed()).state, duplicate: true };
  }

  async #refreshed(): Promise<Position> {
    return await this.#retried(async () => {
      const known = this.#position;
      if (!known || !(await this.#isInLedger(known))) return (this.#position = await this.#restored());
      const { store } = this.#environment;
      // The anchor first: whatever it names is durable by then.
      const entry = store.anchor?.read(this.workflow_id);
      const tail = await replayTail(store, known);
      if (this.#isBehind(entry, tail)) await assertNotOlder(store, this.#row);
      this.#bytesSince += tail.journal_bytes;
      return (this.#position = tail);
    });
  }

  #isBehind(entry: AnchorEntry | undefined, { event_seq, checksum }: Position): boolean {
    if (!entry) return false;
    return entry.event_seq > event_seq || (entry.event_seq === event_seq && entry.checksum !== checksum);
  }

  /** Returns whether the ledger still has this position: a project may be removed and created again under its name. */
  async #isInLedger({ event_seq, checksum }: Position): Promise<boolean> {
    if (event_seq === 0) return true;
    const [event] = await this.#environment.store.eventsAfter(this.workflow_id, event_seq - 1, 1);
    return event?.event_seq === event_seq && event.checksum === checksum;
  }

  async #restored(): Promise<Position> {
    const { store, objects, metrics, now } = this.#environment;
    const labels = { project_id: this.#row.project_id };
    const begin = performance.now();
    // A removed project has no row; its row is created with its first event.
    const row = (await store.workflow(this.workflow_id)) ?? { ...this.#row, last_event_seq: 0, head_checksum: null };
    const { snapshot, events_replayed, journal_bytes, ...position } = await restore(store, row, objects);
    // Behind it: a ledger that is damaged in itself is named as that.
    await assertNotOlder(store, row);
    metrics("restore_time_ms", performance.now() - begin, labels);
    metrics("events_replayed_per_restore", events_replayed, labels);
    this.#snapshotAt = {
      event_seq: snapshot?.last_event_seq ?? 0,
      time: snapshot ? Date.parse(snapshot.created_at) : now(),
    };
    this.#bytesSince = journal_bytes;
    return position;
  }

  /**
   * Writes a snapshot when one is due. A snapshot only saves time: a failure fails no command, and the next command
   * tries again.
   */
  async #snapshotIfDue(at: string): Promise<void> {
    const { store, objects, snapshots: policy, now, metrics, crashPoint } = this.#environment;
    const labels = { project_id: this.#row.project_id };
    metrics("time_since_last_snapshot_sec", Math.max(0, now() - this.#snapshotAt.time) / 1000, labels);
    metrics("journal_size_since_snapshot_bytes", this.#bytesSince, labels);
    if (this.#position!.event_seq - this.#snapshotAt.event_seq < policy.everyEvents) return;
    try {
      await writeSnapshot(this.#position!, { store, objects, policy, at, crashPoint });
    } catch (error) {
      if (error instanceof ContinuityError) return;
      throw error;
    }
    this.#snapshotAt = { event_seq: this.#position!.event_seq, time: now() };
    this.#bytesSince = 0;
  }

  async #leaseHeld(wanted: string | undefined): Promise<Error> {
    const lease = await this.#environment.store.lease(this.workflow_id);
    this.#environment.metrics("lease_acquisition_failures", 1, { project_id: this.#row.project_id });
    return continuityError("lease-held", {
      expected: `the lease of project ${nameInline(this.#row.project_id)} to be free`,
      found:
        `it is ${lease ? nameInline(lease.owner_id) : "another owner"}'s since ` +
        `${lease?.acquired_at ?? "an unknown time"}, until ${lease?.lease_expires_at ?? "an unknown time"}`,
      todo:
        lease && lease.owner_id === wanted
          ? `If that was this very executor, and it was killed: acquire with takeOverFrom: ${quotedInline(wanted, 200)}. Else ` +
            "another one of this name is at work: wait until the lease expires or is released."
          : "Wait until it expires or is released. If that executor is known to be gone, acquire with takeOverFrom and its name.",
    });
  }

  async #retried<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await read();
      } catch (error) {
        if (!isUnavailable(error) || tries >= MAX_UNAVAILABLE) throw error;
        await this.#pause(tries);
      }
    }
  }

  #pause(tries: number): Promise<void> {
    return this.#environment.sleep(
      Math.min(LONGEST_PAUSE_MS, 10 * 2 ** tries) * (0.5 + this.#environment.random() / 2),
    );
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ContinuityError && error.code === "unavailable";
}
