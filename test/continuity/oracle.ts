import type { GoalStatus, Outcome, StepType, TaskStatus } from "../../src/continuity/index.ts";
import type { Action } from "./program.ts";

type UnderLease = Extract<Action, { do: "heartbeat" | "release" | "begin" | "complete" | "fail" | "resolve" }>;

/** What an action came to: nothing to say, or the code of its refusal. */
export type Answer = { readonly code: string } | { readonly event?: string; readonly gives?: unknown };

interface Goal {
  text: string;
  priority: number;
  status: GoalStatus;
  seq: number;
}

interface Task {
  goal: string;
  title: string;
  status: TaskStatus;
  depends: string[];
  blockers: string[];
  reason: string | null;
  evidence: string | null;
  seq: number;
  statusSeq: number;
}

/** A lease as an executor holds it. */
export interface Holder {
  readonly owner: string;
  readonly token: number;
  readonly ttl: number;
  expires: number;
}

interface Step {
  type: StepType;
  key: string | undefined;
  input: number;
  attempts: number;
  /** Attempts without a known outcome, the first one first. */
  open: { attempt: number; token: number; over: boolean; givenUp: boolean }[];
  done: { attempt: number; result: number } | undefined;
  /** What was last said of each attempt that is not open, and of those that were given up. */
  said: Map<number, { how: "failed" | Outcome; result?: number; token?: number }>;
}

/** Holds up no other task: done, or dropped after that other one was done. */
const isOver = (task: Task | undefined): boolean => task === undefined || task.status === "done";
const later = (a: Task, b: Task): boolean => a.statusSeq > b.statusSeq;

/**
 * The rules of docs/continuity.md once more, as plainly as possible and in memory: no events, no deltas, no checksums, one
 * process. What the kernel must be like from outside, whatever crashes.
 */
export class Oracle {
  readonly goals = new Map<string, Goal>();
  tasks = new Map<string, Task>();
  checkpoints = new Map<string, { where: string; next: string; seq: number }>();
  readonly dropped = new Set<string>();
  readonly steps = new Map<string, Step>();
  /** Type of each event, in the order of the ledger. */
  readonly events: string[] = [];
  lease: { owner: string | null; token: number } = { owner: null, token: 0 };
  #row: { owner: string; token: number; expires: number; heartbeat: number } | undefined;

  /**
   * Carries an action out at a time of the clock of the process that it is given to. Only what is in `holder` may
   * change of a refused one. `isCutOff`: behind the first of two events.
   */
  apply(
    action: Action,
    now: number,
    id: string,
    holder: Holder | undefined,
    { isCutOff = false }: { readonly isCutOff?: boolean } = {},
  ): Answer {
    const seq = this.events.length + 1;
    const done = (event: string, gives?: unknown): Answer => {
      this.events.push(event);
      return { event, gives };
    };
    switch (action.do) {
      case "create_goal":
        this.goals.set(id, { text: action.text, priority: action.priority, status: "active", seq });
        return done("goal_created", id);
      case "set_goal_status": {
        const goal = this.goals.get(action.goal);
        if (!goal) return { code: "not-found" };
        if (goal.status === action.status) return { code: "invalid-transition" };
        if (
          action.status === "done" &&
          [...this.tasks.values()].some((task) => task.goal === action.goal && task.status !== "done")
        )
          return { code: "tasks-open" };
        goal.status = action.status;
        return done("goal_status_changed");
      }
      case "add_task": {
        const goal = this.goals.get(action.goal);
        if (!goal) return { code: "not-found" };
        if (goal.status === "done") return { code: "goal-not-active" };
        if (action.depends.some((task) => !this.tasks.has(task))) return { code: "not-found" };
        this.tasks.set(id, {
          goal: action.goal,
          title: action.text,
          status: "todo",
          depends: [...new Set(action.depends)],
          blockers: [],
          reason: null,
          evidence: null,
          seq,
          statusSeq: seq,
        });
        return done("task_added", id);
      }
      case "move":
        return this.#move(action, seq, done);
      case "edit":
        return this.#edit(action, done);
      case "edit_goal": {
        const goal = this.goals.get(action.goal);
        if (!goal) return { code: "not-found" };
        const { text = goal.text, priority = goal.priority } = action;
        if (goal.status === "done" || (text === goal.text && priority === goal.priority))
          return { code: "invalid-transition" };
        Object.assign(goal, { text, priority });
        return done("goal_edited");
      }
      case "drop":
        return this.#drop(action.task, done);
      case "update":
        return this.#update(action, seq, isCutOff);
      case "checkpoint":
        return this.#checkpoint(action.task, action.text, seq, done);
      case "acquire": {
        if (this.#row && this.#row.expires > now) return { code: "lease-held" };
        const token = this.lease.token + 1;
        this.#row = { owner: action.owner, token, expires: now + action.ttl, heartbeat: now };
        this.lease = { owner: action.owner, token };
        return done("lease_acquired", token);
      }
      default:
        return holder === undefined ? {} : this.#underLease(action, now, holder, done);
    }
  }

  #checkpoint(id: string, where: string, seq: number, done: (event: string) => Answer): Answer {
    const task = this.tasks.get(id);
    if (!task) return { code: "not-found" };
    if (task.status === "done") return { code: "invalid-transition" };
    this.checkpoints.set(id, { where, next: `next ${where}`, seq });
    return done("checkpoint_updated");
  }

  #drop(id: string, done: (event: string) => Answer): Answer {
    const task = this.tasks.get(id);
    if (!task) return { code: "not-found" };
    if (task.status === "done") return { code: "invalid-transition" };
    for (const { status, depends } of this.tasks.values())
      if (status !== "done" && depends.includes(id)) return { code: "dependencies-open" };
    this.tasks.delete(id);
    this.checkpoints.delete(id);
    this.dropped.add(id);
    return done("task_dropped");
  }

  #edit(
    { task: id, title, depends }: { task: string; title?: string; depends?: readonly string[] },
    done: (event: string) => Answer,
  ): Answer {
    const task = this.tasks.get(id);
    if (!task) return { code: "not-found" };
    if (task.status === "done") return { code: "invalid-transition" };
    const wanted = { title: title ?? task.title, depends: [...new Set(depends ?? task.depends)] };
    const isSame = String(wanted.depends) === String(task.depends);
    if (wanted.title === task.title && isSame) return { code: "invalid-transition" };
    if (!isSame) {
      if (wanted.depends.some((one) => !this.tasks.has(one))) return { code: "not-found" };
      const waits = (one: string): boolean =>
        one === id || (this.tasks.get(one)?.depends.some((next) => isOpen(one) && waits(next)) ?? false);
      const isOpen = (one: string): boolean => this.tasks.get(one)?.status !== "done";
      if (wanted.depends.some(waits)) return { code: "dependencies-open" };
      if (task.status === "doing" && wanted.depends.some(isOpen)) return { code: "dependencies-open" };
    }
    Object.assign(task, wanted);
    return done("task_edited");
  }

  /** Whether an action is two events: the start of a task, and what else changes of it. */
  isOverDoing(action: Action): boolean {
    const over: Readonly<Record<string, readonly string[]>> = {
      todo: ["blocked", "done"],
      blocked: ["done"],
      done: ["todo", "blocked"],
    };
    const before = action.do === "update" && this.tasks.get(action.task)?.status;
    return before ? (over[before] ?? []).includes((action as { status?: string }).status ?? "") : false;
  }

  /** All of it or nothing, in one event for each transition; what is so already is no change. */
  #update(action: Action & { do: "update" }, first: number, isCutOff: boolean): Answer {
    const isOverDoing = this.isOverDoing(action);
    const seq = isOverDoing ? first + 1 : first;
    const { task: id, status, reason, stand } = action;
    const task = this.tasks.get(id);
    if (!task && this.dropped.has(id)) return status === "dropped" ? {} : { code: "invalid-transition" };
    if (!task) return { code: "not-found" };
    const events: string[] = [];
    const done = (event: string): Answer => (events.push(event), {});
    const before = structuredClone([this.tasks, this.checkpoints] as const);
    const move =
      (how: "start" | "pause" | "block" | "complete", at = seq) =>
      (): Answer =>
        this.#move({ do: "move", how, task: id, text: reason }, at, done);
    const moves = { todo: [move("pause")], doing: [], blocked: [move("block")], done: [move("complete")] };
    const [starts, changes]: [(() => Answer)[], (() => Answer)[]] = [[], []];
    if (status === "dropped") changes.push(() => this.#drop(id, done));
    else if (status === task.status) {
      if (status === "todo" && task.reason !== reason)
        changes.push(() => (Object.assign(task, { reason, statusSeq: seq }), done("task_paused")));
      if (status === "blocked" && String(task.blockers) !== reason)
        changes.push(() => (Object.assign(task, { blockers: [reason], statusSeq: seq }), done("task_blocked")));
    } else if (status !== undefined) {
      if (task.status !== "doing" && !(task.status === "blocked" && status === "todo"))
        starts.push(move("start", first));
      changes.push(...moves[status]);
    }
    const [edits, stands]: [(() => Answer)[], (() => Answer)[]] = [[], []];
    const { title = task.title, depends = task.depends } = action;
    const isEdited = title !== task.title || String([...new Set(depends)]) !== String(task.depends);
    const isStood = stand !== undefined && this.checkpoints.get(id)?.where !== stand;
    const hasWords = action.title !== undefined || action.depends !== undefined;
    // Words of a task that stays done are refused, also the same ones.
    if (isEdited || (hasWords && task.status === "done"))
      edits.push(() => this.#edit({ task: id, title, depends }, done));
    if (isStood) stands.push(() => this.#checkpoint(id, stand, seq, done));
    const isMovedFirst = task.status === "done" || status === "todo" || status === "blocked";
    const parts = isMovedFirst
      ? [starts, [...changes, ...edits, ...stands]]
      : [
          [...edits, ...starts],
          [...stands, ...changes],
        ];
    const written: string[][] = [];
    for (const part of (isOverDoing ? parts : [parts.flat()]).slice(0, isCutOff ? 1 : 2)) {
      for (const change of part) {
        const answer = change();
        const isSame = change === edits[0] && hasWords && !isEdited && this.tasks.get(id)?.status !== "done";
        if (!("code" in answer) || isSame) continue;
        [this.tasks, this.checkpoints] = before;
        return answer;
      }
      written.push(events.splice(0));
    }
    for (const [one, another] of written)
      if (one !== undefined) this.events.push(another === undefined ? one : "task_updated");
    return {};
  }

  #move(action: Action & { do: "move" }, seq: number, done: (event: string) => Answer): Answer {
    const task = this.tasks.get(action.task);
    if (!task) return { code: "not-found" };
    const from = {
      start: ["todo", "blocked", "done"],
      pause: ["doing", "blocked"],
      block: ["doing"],
      complete: ["doing"],
    }[action.how];
    if (!from.includes(task.status)) return { code: "invalid-transition" };
    if (action.how === "start") {
      if (this.goals.get(task.goal)!.status !== "active") return { code: "goal-not-active" };
      if (task.depends.some((one) => !isOver(this.tasks.get(one)))) return { code: "dependencies-open" };
      Object.assign(task, { status: "doing", blockers: [], reason: null, evidence: null });
    }
    if (action.how === "pause") Object.assign(task, { status: "todo", blockers: [], reason: action.text });
    if (action.how === "block") Object.assign(task, { status: "blocked", blockers: [action.text] });
    if (action.how === "complete") Object.assign(task, { status: "done", evidence: action.text });
    task.statusSeq = seq;
    return done(
      { start: "task_started", pause: "task_paused", block: "task_blocked", complete: "task_completed" }[action.how],
    );
  }

  #underLease(
    action: UnderLease,
    now: number,
    holder: Holder,
    done: (event: string, gives?: unknown) => Answer,
  ): Answer {
    const holds = this.lease.owner === holder.owner && this.lease.token === holder.token;
    if (action.do === "heartbeat") {
      const row = this.#row!;
      if (row.owner !== holder.owner || row.token !== holder.token || row.heartbeat >= row.expires)
        return { code: "fenced" };
      Object.assign(row, { heartbeat: now, expires: now + holder.ttl });
      // A holder counts by a clock that does not go back: a heartbeat never shortens what an earlier one has given it.
      holder.expires = Math.max(holder.expires, now + holder.ttl);
      return {};
    }
    if (action.do === "release") {
      if (!holds) return { code: "fenced" };
      Object.assign(this.#row!, { heartbeat: now, expires: now });
      this.lease = { owner: null, token: this.lease.token };
      holder.expires = 0;
      return done("lease_released");
    }
    if (action.do === "begin") return this.#begin(action, now, holder, holds, done);
    if (action.do === "resolve") return this.#resolve(action, now, holder, holds, done);
    if (!holds) return { code: "fenced" };
    const step = this.steps.get(action.step);
    const open = step?.open.find((one) => one.attempt === action.attempt);
    if (!step || !open || open.token !== holder.token || open.over) {
      const repeated =
        action.do === "complete" && step?.done?.attempt === action.attempt && step.done.result === action.result;
      return repeated ? { gives: "duplicate" } : { code: "step-not-started" };
    }
    if (action.do === "fail") {
      if (action.acted && step.type === "non_idempotent") open.over = true;
      else {
        step.open = step.open.filter((one) => one !== open);
        step.said.set(action.attempt, { how: "failed", token: open.token });
      }
      return done("step_failed");
    }
    step.open = [];
    step.done = { attempt: action.attempt, result: action.result };
    return done("step_completed");
  }

  /** The step that the key names, if it or the one that begins must not happen twice, else the one of that name. */
  #named(name: string, key: string | undefined, isOnce: boolean): string {
    for (const [other, step] of this.steps)
      if (key !== undefined && step.key === key && (isOnce || step.type === "non_idempotent")) return other;
    return name;
  }

  #begin(
    action: Action & { do: "begin" },
    now: number,
    holder: Holder,
    holds: boolean,
    done: (event: string, gives?: unknown) => Answer,
  ): Answer {
    const isOnce = action.type === "non_idempotent";
    const key = action.key?.trim().normalize("NFC");
    if (isOnce && key === undefined) return { code: "idempotency-key-required" };
    const name = this.#named(action.step, key, isOnce);
    const step = this.steps.get(name);
    if (step && (step.type !== action.type || step.key !== key || step.input !== action.input))
      return { code: "step-mismatch" };
    if (step?.done) return { gives: step.done };
    const open = step?.open ?? [];
    if (open.some(({ givenUp }) => givenUp)) return { code: "step-abandoned" };
    if (now >= holder.expires) return { code: "lease-expired" };
    const isRunning = open.some(({ token, over }) => token === holder.token && !over);
    if (isOnce && open.length > 0 && !isRunning) return { gives: { open: open.map(({ attempt }) => attempt) } };
    if (!holds) return { code: "fenced" };
    if (isRunning) return { code: "step-open" };
    const attempt = (step?.attempts ?? 0) + 1;
    this.steps.set(name, {
      type: action.type,
      key,
      input: action.input,
      attempts: attempt,
      open: [{ attempt, token: holder.token, over: false, givenUp: false }],
      done: undefined,
      said: step?.said ?? new Map(),
    });
    return done("step_started", attempt);
  }

  #resolve(
    { step: name, attempt, outcome, result }: Action & { do: "resolve" },
    now: number,
    holder: Holder,
    holds: boolean,
    done: (event: string, gives?: unknown) => Answer,
  ): Answer {
    const step = this.steps.get(name);
    if (!step) return { code: "step-not-started" };
    const said = step.said.get(attempt);
    if (said?.how === outcome && (outcome !== "completed" || said.result === result)) return { gives: "duplicate" };
    const open = step.open.find((one) => one.attempt === attempt);
    if (step.done || (!open && said?.how !== "failed")) return { code: "invalid-transition" };
    if (now >= holder.expires) return { code: "lease-expired" };
    if (!holds) return { code: "fenced" };
    const others = step.open.filter((one) => one !== open);
    const givenUp = { attempt, token: open?.token ?? said!.token!, over: true, givenUp: true };
    step.open =
      outcome === "completed"
        ? []
        : outcome === "abandoned"
          ? [...others, givenUp].toSorted((a, b) => a.attempt - b.attempt)
          : others;
    step.said.set(attempt, { how: outcome, ...(outcome === "completed" ? { result } : {}) });
    if (outcome === "completed") step.done = { attempt, result };
    return done("step_resolved");
  }

  /** The policy in docs/continuity.md, "The next step": the task, and the step that is recorded for it. */
  nextStep(): readonly [string, string] | "propose_tasks" {
    const candidates = [...this.tasks].filter(([, { goal }]) => this.goals.get(goal)!.status === "active");
    const ready = candidates.filter(
      ([, { status, depends }]) => status === "todo" && depends.every((one) => isOver(this.tasks.get(one))),
    );
    const best = (
      list: typeof candidates,
      isBetter: (a: Task, b: Task) => boolean,
    ): (typeof candidates)[number] | undefined =>
      list.reduce<(typeof candidates)[number] | undefined>(
        (found, one) => (!found || isBetter(one[1], found[1]) ? one : found),
        undefined,
      );
    const priority = ({ goal }: Task): number => this.goals.get(goal)!.priority;
    const chosen =
      best(
        candidates.filter(([, { status }]) => status === "doing"),
        later,
      ) ??
      best(
        candidates.filter(([, { status }]) => status === "blocked"),
        later,
      ) ??
      best(ready, (a, b) => priority(a) > priority(b) || (priority(a) === priority(b) && a.seq < b.seq));
    return chosen ? [chosen[0], this.checkpoints.get(chosen[0])?.next ?? chosen[1].title] : "propose_tasks";
  }

  /** Everything that is work state, for comparison. */
  picture(): object {
    return {
      goals: Object.fromEntries(this.goals),
      tasks: Object.fromEntries(this.tasks),
      checkpoints: Object.fromEntries(this.checkpoints),
      lease: this.lease,
      open: Object.fromEntries(
        [...this.steps].filter(([, { open }]) => open.length > 0).map(([id, { open }]) => [id, open]),
      ),
      completed: [...this.steps.values()].filter((step) => step.done).length,
    };
  }
}
