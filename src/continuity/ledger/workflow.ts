import { v5 as uuidOfName } from "uuid";
import { nameInline, quotedInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import type { AnchorEntry } from "./anchor.ts";
import type { Command } from "../decide/decision.ts";
import type { FinishedWork } from "../decide/finished.ts";
import { type Environment, isoTime, storeTime } from "./environment.ts";
import { ContinuityError, continuityError, type ContinuityErrorCode } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { type LedgerEvent, readLoneEvent } from "./events.ts";
import { canonicalText, sha256 } from "../base/json.ts";
import { finishedWork } from "./finished.ts";
import { nextEvent } from "./next-event.ts";
import { assertNotOlder } from "./older-copy.ts";
import type { Position } from "./position.ts";
import { assertEnd, replayTail, restore } from "./replay.ts";
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
  /** Ids of goals and tasks that the command names: those that are finished are read from the ledger. */
  readonly about?: readonly string[];
  /** Whether the command gives or ends a claim, which needs the store's time. */
  readonly isClaiming?: boolean;
  /** A command that is delivered twice with one id is executed once. */
  readonly command_id?: string | undefined;
  /**
   * Called before each try, for data that is not part of the state. Returns the rows to write with the event, or
   * `stale` when it has seen that the ledger goes on behind this position.
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
const PAGE = 500;
const LONGEST_PAUSE_MS = 500;
/** Refusals that may no longer hold after the newest events are read. */
const FROM_STALE_STATE: ReadonlySet<ContinuityErrorCode> = new Set([
  "not-found",
  "invalid-transition",
  "dependencies-open",
  "tasks-open",
  "goal-not-active",
  "claim-held",
  "fenced",
  "step-not-started",
  // A project that was removed and created again has other rows than the state that is known here.
  "damaged",
]);

/** A command's identity in the ledger. */
interface Ids {
  readonly event_id: string;
  /** Checksum of the content of a command with a command_id. */
  readonly command: string | undefined;
}

/** What earlier tries of one call have come to. */
interface Progress {
  /** The state is read from the ledger by the try itself. */
  isFresh: boolean;
  /** The ledger is searched for the command: it may have been delivered before, or this call's own commit was sent. */
  search: "delivered" | "sent" | undefined;
  /** A commit was sent, and may have been written although no answer came. */
  isSent: boolean;
}

/** An event that was committed, and the state behind it. */
interface Written {
  readonly written: LedgerEvent;
  readonly state: WorkState;
  readonly bytes: number;
}

/**
 * One project's ledger, as this process knows it. Commands are decided on the state in memory and written only if the
 * ledger still ends there (compare and set on its position); else the tail is read and they are decided again. So every
 * command that is acknowledged is in the ledger exactly once, at a place where it was allowed. Calls of one process run
 * one after the other (`#inTurn`).
 */
export class Workflow {
  readonly #environment: Environment;
  readonly #row: WorkflowRow;
  /** The end of the ledger with the state there, as last read or written; undefined where that may be wrong. */
  #position: Position | undefined;
  #snapshotAt = { event_seq: 0, time: 0 };
  /** Bytes of the events behind the last snapshot. */
  #bytesSince = 0;
  /** Resolves when the last call has ended, however it ended. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Another process wrote when this one wanted to. */
  #isContended = false;
  /** The position on which the latest try was decided. */
  #basis = 0;

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

  /** Reads with the state as it is known, and again with the newest one while the answer is `stale`. Writes nothing. */
  look<T>(read: (position: Position) => Promise<T | "stale">): Promise<T> {
    return this.#inTurn(async () => {
      for (let position = this.#position ?? (await this.#refreshed()); ; position = await this.#refreshed()) {
        const found = await read(position);
        if (found !== "stale") return found;
      }
    });
  }

  /** Returns the last forms of finished goals and tasks. */
  finished(ids: readonly string[]): Promise<FinishedWork> {
    return this.look((position) => finishedWork(this.#environment.store, position, ids));
  }

  /** Drops the state in memory; the next command restores it. */
  forget(): void {
    this.#position = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    // The deadline is the call's: it also passes while the call waits for earlier ones.
    return this.#environment.store.patiently(() => {
      const done = this.#queue.then(work, work);
      this.#queue = done.catch(() => undefined);
      return done;
    });
  }

  async #execute(request: Request): Promise<CommandOutcome> {
    const { store, newId } = this.#environment;
    const ids: Ids = {
      event_id:
        request.command_id === undefined
          ? newId()
          : uuidOfName(`${this.workflow_id}/${request.command_id}`, COMMAND_NAMESPACE),
      command: request.command_id === undefined ? undefined : sha256(canonicalText(request.content)),
    };
    const progress: Progress = { isFresh: false, search: undefined, isSent: false };
    for (let [tries, failures] = [0, 0]; tries < MAX_TRIES;) {
      try {
        const known = this.#position ?? (await this.#refreshed());
        // Writers that meet wait for each other in the database, instead of deciding again and again.
        const isAlone = !this.#isContended && !progress.isFresh;
        if (!isAlone) progress.isFresh = true;
        const attempt = (): Promise<Written | CommandOutcome | undefined> => this.#attempt(request, ids, progress);
        const outcome = isAlone
          ? await attempt()
          : await store.exclusively(this.workflow_id, pageBehind(known), attempt);
        this.#isContended = outcome === undefined || (this.#isContended && known.event_seq !== this.#basis);
        if (outcome) return "written" in outcome ? await this.#acknowledged(outcome) : outcome;
        tries += 1;
        if (tries === 2) await this.#assertRow();
        // Another process has written first. With many writers, some wait.
        if (tries > 3)
          await this.#environment.sleep(this.#environment.random() * Math.min(LONGEST_PAUSE_MS, tries * 2));
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (!(await store.mayRepeat(failures++))) throw progress.isSent ? this.#unknown(ids.event_id, error) : error;
      }
      progress.isFresh = true;
      progress.search = request.command_id !== undefined ? "delivered" : progress.isSent ? "sent" : undefined;
    }
    throw continuityError("busy", {
      expected: "a free position in the ledger",
      found: `${MAX_TRIES} tries in which another process wrote first`,
      todo: "Try again. Nothing was written.",
    });
  }

  /** Throws `damaged` unless the ledger ends where the workflow's row says: without that row no commit succeeds. */
  async #assertRow(): Promise<void> {
    const { store } = this.#environment;
    // Read before the events, as the comparison needs.
    const row = await store.workflow(this.workflow_id);
    const end = await this.#refreshed();
    if (row) return assertEnd(store, end, row);
    if (end.event_seq === 0) return;
    throw continuityError("damaged", {
      expected: `a row in workflows for project ${nameInline(this.#row.project_id)} (workflow ${this.workflow_id})`,
      found: `none, and ${end.event_seq} events of it`,
      todo: `The store was changed from outside. ${fromBackup()} Nothing was executed.`,
    });
  }

  /** Returns undefined when the ledger has grown meanwhile, or may have this command already. */
  async #attempt(request: Request, ids: Ids, progress: Progress): Promise<Written | CommandOutcome | undefined> {
    const { store, now, producer_version, crashPoint } = this.#environment;
    const before = progress.isFresh ? await this.#refreshed() : this.#position!;
    this.#basis = before.event_seq;
    if (progress.search) {
      const earlier = await this.#earlier(ids, request.command_id);
      // An event of this call's own, whose answer was lost.
      if (earlier) return progress.isSent ? { ...earlier, duplicate: false } : earlier;
    }
    const at = isoTime(now());
    // Another process has written here, or did so in a newer copy of the store than this one.
    if (this.#isBehind(store.anchor?.read(this.workflow_id), before)) return undefined;
    const clock = request.isClaiming === true ? await storeTime(this.#environment) : undefined;
    let beside;
    let next;
    try {
      const finished = await finishedWork(store, before, request.about ?? []);
      if (finished === "stale") return undefined;
      beside = (await request.prepare?.({ at, state: before.state, event_seq: before.event_seq })) ?? {};
      if (beside === "stale") return undefined;
      next = nextEvent(before, request.command, {
        ...ids,
        at,
        author: request.author,
        producer_version,
        finished,
        clock,
      });
    } catch (error) {
      if (!(error instanceof ContinuityError) || isUnavailable(error)) throw error;
      // It may be refused because it was carried out before, or because of a state that is no longer true.
      const isKnown = request.command_id === undefined || progress.search !== undefined;
      if (isKnown && (progress.isFresh || !FROM_STALE_STATE.has(error.code))) throw error;
      return undefined;
    }
    const { event: written, row, position } = next;
    if (row.event_seq === 1) await store.ensureWorkflow(this.#row);
    crashPoint("commit:before");
    const { isSent } = progress;
    progress.isSent = true;
    const outcome = await store.commit({ event: row, ...beside });
    if (outcome !== "committed") progress.isSent = isSent;
    if (outcome === "stale") return undefined;
    if (outcome === "lease-held") throw await this.#leaseHeld(beside.acquire?.owner_id);
    return { written, state: position.state, bytes: row.payload.length };
  }

  async #acknowledged({ written, state, bytes }: Written): Promise<CommandOutcome> {
    const { event_seq, checksum, timestamp } = written;
    this.#environment.crashPoint("commit:after");
    this.#position = { state, event_seq, checksum };
    this.#bytesSince += bytes;
    await this.#snapshotIfDue(timestamp);
    return { event: written, state, duplicate: false };
  }

  #unknown(event_id: string, cause: unknown): Error {
    this.#position = undefined;
    return continuityError("unavailable", {
      expected: "the store to answer",
      found: `no answer after event ${event_id} was sent; it may have been written`,
      todo: "Repeat the command with the same command_id when the store answers again: it is executed once.",
      cause,
    });
  }

  async #earlier({ event_id, command }: Ids, command_id: string | undefined): Promise<CommandOutcome | undefined> {
    const row = await this.#environment.store.eventById(this.workflow_id, event_id);
    if (!row) return undefined;
    const event = readLoneEvent(row);
    if (event.command !== command) {
      throw continuityError("command-mismatch", {
        expected: `command ${nameInline(String(command_id))} to have the same content at each delivery`,
        found: `another command with this id at event ${event.event_seq} (${event.event_type})`,
        todo: "Use another command_id for each command. Nothing was written.",
      });
    }
    return { event, state: (await this.#refreshed()).state, duplicate: true };
  }

  async #refreshed(): Promise<Position> {
    const { store } = this.#environment;
    const known = this.#position;
    // The anchor first: whatever it names is durable by then.
    const entry = store.anchor?.read(this.workflow_id);
    // The known event and those behind it by one request: a project may be removed and created again under its name.
    const { after, limit } = pageBehind(known);
    const rows = known ? await store.eventsAfter(this.workflow_id, after, limit) : [];
    const tail = known && known.event_seq > 0 ? rows.slice(1) : rows;
    const isThere = known?.event_seq === 0 || (rows[0] && known && isAt(rows[0], known));
    if (!known || !isThere) return (this.#position = await this.#restored());
    const replayed =
      tail.length === 0 ? undefined : await replayTail(store, known, { first: tail, isLast: rows.length < PAGE });
    const now = replayed ?? known;
    if (this.#isBehind(entry, now)) await assertNotOlder(store, this.#row);
    this.#bytesSince += replayed?.journal_bytes ?? 0;
    return (this.#position = now);
  }

  #isBehind(entry: AnchorEntry | undefined, { event_seq, checksum }: Position): boolean {
    if (!entry) return false;
    return entry.event_seq > event_seq || (entry.event_seq === event_seq && entry.checksum !== checksum);
  }

  async #restored(): Promise<Position> {
    const { store, objects, metrics, now } = this.#environment;
    const labels = { project_id: this.#row.project_id };
    const begin = performance.now();
    // A removed project has no row; its row is created with its first event.
    const row = (await store.workflow(this.workflow_id)) ?? {
      ...this.#row,
      last_event_seq: 0,
      head_checksum: null,
    };
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
          ? "If that was this very executor, and it was killed: acquire with " +
            `takeOverFrom: ${quotedInline(wanted, 200)}. Else ` +
            "another one of this name is at work: wait until the lease expires or is released."
          : "Wait until it expires or is released. If that executor is known to be gone, acquire with " +
            "takeOverFrom and its " +
            "name; a person ends its step with `openclaw-integrity continuity resolve --take-over-from <owner>`.",
    });
  }
}

/** Returns the events to read for a position that is known: its own, and those behind it. */
function pageBehind(known: Position | undefined): { readonly after: number; readonly limit: number } {
  return { after: Math.max(0, (known?.event_seq ?? 0) - 1), limit: PAGE };
}

/** Returns whether an event is the one at that position. */
function isAt(row: EventRow, { event_seq, checksum }: Position): boolean {
  return row.event_seq === event_seq && row.checksum === checksum;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ContinuityError && error.code === "unavailable";
}
