import { v5 as uuidOfName } from "uuid";
import { nameInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { stateChecksum } from "./checksum.ts";
import type { Command } from "../decide/decision.ts";
import { computeDelta } from "./delta.ts";
import { type Environment, isoTime } from "./environment.ts";
import { ContinuityError, continuityError, type ContinuityErrorCode } from "../base/errors.ts";
import { eventRow, type LedgerEvent, payloadOf, readLoneEvent, SCHEMA_VERSION } from "./events.ts";
import { canonicalText, sha256 } from "../base/json.ts";
import type { Position } from "./position.ts";
import { replayTail, restore } from "./replay.ts";
import { writeSnapshot } from "./snapshots.ts";
import type { WorkState } from "../base/state.ts";
import type { Commit, EventRow, WorkflowRow } from "./store.ts";

/** A command and what it writes beside its event. */
export interface Request {
  readonly command: Command;
  /** Who gives it. */
  readonly author: Author;
  /** What the command is, for telling a second delivery from another command under the same id. */
  readonly content: object;
  /** A command that is delivered twice under one id is carried out once. */
  readonly command_id?: string | undefined;
  /** Called before each try, for what is no part of the state. Returns what is to be written with the event. */
  readonly prepare?: (moment: { readonly at: string; readonly state: WorkState }) => Promise<Omit<Commit, "event">>;
}

/** What came of a command. */
export interface Outcome {
  readonly event: LedgerEvent;
  /** The state behind it, or a later one when the command had been carried out before. */
  readonly state: WorkState;
  readonly duplicate: boolean;
}

/** Names of the events of commands with an id of their own. */
const COMMAND_NAMESPACE = "6f636963-6f6e-5074-8a6e-756974790001";
const MOST_TRIES = 200;
const MOST_UNAVAILABLE = 30;
const LONGEST_PAUSE_MS = 500;
/** What a state that has gone on meanwhile may lift. */
const FROM_STALE_STATE: ReadonlySet<ContinuityErrorCode> = new Set([
  "not-found",
  "invalid-transition",
  "dependencies-open",
  "tasks-open",
  "goal-not-active",
  "fenced",
  "step-not-started",
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

  /** Carries a command out, after those that were given before it. */
  execute(request: Request): Promise<Outcome> {
    return this.#inTurn(() => this.#execute(request));
  }

  /** The state at the end of the ledger now. */
  state(): Promise<WorkState> {
    return this.#inTurn(async () => (await this.#refreshed()).state);
  }

  /** Forgets what it knows, so that the next command restores anew. */
  forget(): void {
    this.#position = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work, work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #execute(request: Request): Promise<Outcome> {
    const event_id =
      request.command_id === undefined
        ? this.#environment.newId()
        : uuidOfName(`${this.workflow_id}/${request.command_id}`, COMMAND_NAMESPACE);
    const command = sha256(canonicalText(request.content));
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // Before it is looked for: should it be written meanwhile, by another delivery, then this place in the ledger is
      // taken.
      const before = this.#position ?? (await this.#refreshed());
      if (request.command_id !== undefined) {
        const earlier = await this.#earlier(event_id, command, request.command_id);
        if (earlier) return earlier;
      }
      const outcome = await this.#attempt(request, event_id, command, before);
      if (outcome) return outcome;
      // Another process was faster. Where many are, some wait.
      if (tries > 3) await this.#environment.sleep(this.#environment.random() * Math.min(LONGEST_PAUSE_MS, tries * 2));
      await this.#refreshed();
    }
    throw continuityError("busy", {
      expected: "a place in the ledger",
      found: `${MOST_TRIES} tries in which another process was faster`,
      todo: "Try again. Nothing was written.",
    });
  }

  /** Undefined when the ledger has gone on. */
  async #attempt(request: Request, event_id: string, command: string, before: Position): Promise<Outcome | undefined> {
    const { now, producer_version, crashPoint } = this.#environment;
    const at = isoTime(now());
    const event_seq = before.event_seq + 1;
    const beside = (await request.prepare?.({ at, state: before.state })) ?? {};
    let decision;
    try {
      decision = request.command(before.state, { seq: event_seq, at, author: request.author });
    } catch (error) {
      if (!(error instanceof ContinuityError) || !FROM_STALE_STATE.has(error.code)) throw error;
      const fresh = await this.#refreshed();
      if (fresh.event_seq === before.event_seq) throw error;
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
    if (event_seq === 1) await this.#patiently(() => this.#environment.store.ensureWorkflow(this.#row));
    crashPoint("commit:before");
    const outcome = await this.#commit({ event: row, ...beside }, before);
    if (outcome === "stale") return undefined;
    if (outcome === "lease-held") throw await this.#leaseHeld();
    crashPoint("commit:after");
    this.#position = { state: decision.state, event_seq, checksum: row.checksum };
    this.#bytesSince += row.payload.length;
    await this.#snapshotIfDue(at);
    return { event: { ...payload, checksum: row.checksum }, state: decision.state, duplicate: false };
  }

  /**
   * A store that is gone in mid-commit leaves open whether it was written: the ledger itself is asked once it is back.
   */
  async #commit(commit: Commit, before: Position): Promise<"committed" | "stale" | "lease-held"> {
    const { store } = this.#environment;
    for (let tries = 0; ; tries++) {
      try {
        if (tries > 0 && (await this.#isWritten(commit.event))) return "committed";
        const outcome = await store.commit(commit);
        // What stands in its way may be its own first try, which was on its way still.
        return outcome === "stale" && tries > 0 && (await this.#isWritten(commit.event)) ? "committed" : outcome;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (tries >= MOST_UNAVAILABLE) {
          this.#position = undefined;
          throw continuityError("unavailable", {
            expected: "the store to answer",
            found: `${MOST_UNAVAILABLE} tries without an answer after event ${before.event_seq + 1} (${commit.event.event_id}) was sent; it may have been written`,
            todo: "Give the command again under the same command_id once the store is back: it is carried out once.",
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

  async #earlier(event_id: string, command: string, command_id: string): Promise<Outcome | undefined> {
    const row = await this.#patiently(() => this.#environment.store.eventById(this.workflow_id, event_id));
    if (!row) return undefined;
    const event = readLoneEvent(row);
    if (event.command !== command) {
      throw continuityError("command-mismatch", {
        expected: `command ${nameInline(command_id)} to be the same whenever it is delivered`,
        found: `it was another one at event ${event.event_seq} (${event.event_type})`,
        todo: "Give each command an id of its own. Nothing was written.",
      });
    }
    return { event, state: (await this.#refreshed()).state, duplicate: true };
  }

  async #refreshed(): Promise<Position> {
    return await this.#patiently(async () => {
      const known = this.#position;
      if (!known || !(await this.#isInLedger(known))) return (this.#position = await this.#restored());
      const tail = await replayTail(this.#environment.store, known);
      this.#bytesSince += tail.journal_bytes;
      return (this.#position = tail);
    });
  }

  /** Whether this is a place in the ledger still: a project may be removed, and begun anew under its name. */
  async #isInLedger({ event_seq, checksum }: Position): Promise<boolean> {
    if (event_seq === 0) return true;
    const [event] = await this.#environment.store.eventsAfter(this.workflow_id, event_seq - 1, 1);
    return event?.event_seq === event_seq && event.checksum === checksum;
  }

  async #restored(): Promise<Position> {
    const { store, objects, metrics, now } = this.#environment;
    const labels = { project_id: this.#row.project_id };
    const begin = performance.now();
    // Of a project that was removed nothing is known; its row is made with its first event.
    const row = (await store.workflow(this.workflow_id)) ?? { ...this.#row, last_event_seq: 0, head_checksum: null };
    const { snapshot, events_replayed, journal_bytes, ...position } = await restore(store, row, objects);
    metrics("restore_time_ms", performance.now() - begin, labels);
    metrics("events_replayed_per_restore", events_replayed, labels);
    this.#snapshotAt = {
      event_seq: snapshot?.last_event_seq ?? 0,
      time: snapshot ? Date.parse(snapshot.created_at) : now(),
    };
    this.#bytesSince = journal_bytes;
    return position;
  }

  /** A snapshot only saves time: a failure to take one fails no command, and it is tried again at the next. */
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

  async #leaseHeld(): Promise<Error> {
    const lease = await this.#environment.store.lease(this.workflow_id);
    this.#environment.metrics("lease_acquisition_failures", 1, { project_id: this.#row.project_id });
    return continuityError("lease-held", {
      expected: `the lease of project ${nameInline(this.#row.project_id)} to be free`,
      found:
        `it is ${lease ? nameInline(lease.owner_id) : "another owner"}'s until ` +
        `${lease?.lease_expires_at ?? "an unknown time"}`,
      todo: "Wait until it ends or is given back; an executor that is gone loses it then.",
    });
  }

  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await read();
      } catch (error) {
        if (!isUnavailable(error) || tries >= MOST_UNAVAILABLE) throw error;
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
