import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, type Lease, type OpenStep, type Project, type StepStart } from "../../src/continuity/index.ts";
import type { Kind } from "./places.ts";

/** Keys of effects, and the spellings in which agents that lost their context give their keys. */
const EFFECTS = ["clé 1", "clé 2", "clé 3"];
const SPELLINGS: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `  ${key}\t`,
  (key) => key.normalize("NFD"),
];
/** What an attempt comes to: whether it acts, and what its process says of it; a killed one says nothing. */
const FATES = [
  { acts: true, says: "completed" },
  { acts: true, says: "unknown" },
  { acts: true, says: "nothing" },
  { acts: false, says: "not_done" },
  { acts: false, says: "unknown" },
  { acts: false, says: "nothing" },
] as const;

export type Move =
  | {
      readonly do: "attempt";
      readonly effect: number;
      readonly name: number;
      readonly spelling: number;
      readonly fate: number;
      readonly repeat: boolean;
      readonly by: "hand" | "runStep";
    }
  | { readonly do: "resolve"; readonly which: number; readonly isGivenUp: boolean }
  | { readonly do: "kill" | "backup" | "restore" | "confirm" };

const few = fc.nat({ max: 5 });
/** What agents, a person and the machines do to one project, one after the other. */
export const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    {
      arbitrary: fc.record({
        do: fc.constant("attempt" as const),
        effect: few,
        name: few,
        spelling: few,
        fate: few,
        repeat: fc.nat({ max: 7 }).map((n) => n === 0),
        by: fc.constantFrom("hand" as const, "runStep" as const),
      }),
      weight: 12,
    },
    {
      arbitrary: fc.record({
        do: fc.constant("resolve" as const),
        which: few,
        isGivenUp: fc.nat({ max: 9 }).map((n) => n === 0),
      }),
      weight: 5,
    },
    {
      arbitrary: fc.record({
        do: fc.constantFrom("kill" as const, "backup" as const, "restore" as const, "confirm" as const),
      }),
      weight: 5,
    },
  ),
  { minLength: 5, maxLength: 40, size: "max" },
);

/** What happened, which no ledger can change; and where somebody has said that a repetition does no harm. */
class World {
  readonly happened = new Map<string, number>();
  readonly words = new Map<string, number>();

  act(effect: string, repeats: boolean): void {
    this.happened.set(effect, this.count(effect) + 1);
    if (repeats) this.words.set(effect, (this.words.get(effect) ?? 0) + 1);
  }

  count(effect: string): number {
    return this.happened.get(effect) ?? 0;
  }
}

/** Carries moves out on a ledger and in the world, and compares what the ledger says with what happened. */
export class Run {
  readonly world = new World();
  readonly #place: Kind["place"];
  #continuity!: Continuity;
  #project!: Project;
  #lease!: Lease;
  #backup: string | undefined;
  #owners = 0;

  constructor(place: Kind["place"]) {
    this.#place = place;
  }

  async begin(): Promise<void> {
    this.#continuity = new Continuity({ store: await (await this.#place()).open() });
    this.#project = await this.#continuity.project("p");
    await this.#next();
  }

  /** Another process takes the work over; what the one before had begun, it does not know. */
  async #next(): Promise<void> {
    const before = (await this.#project.leaseRow())?.owner_id;
    this.#lease = await this.#project.acquireLease({
      owner_id: `owner ${++this.#owners}`,
      ...(before === undefined ? {} : { takeOverFrom: before }),
    });
  }

  async move(move: Move): Promise<void> {
    if (move.do === "attempt") return this.#attempt(move);
    if (move.do === "resolve") return this.#resolve(move);
    if (move.do === "kill") return this.#next();
    if (move.do === "confirm") return this.#confirm();
    if (move.do === "backup") {
      this.#backup = join(newFolder(), "backup.jsonl");
      return void (await this.#continuity.backup({ file: this.#backup }));
    }
    if (this.#backup === undefined) return undefined;
    const { project_id } = this.#project;
    this.#continuity = new Continuity({ store: await (await this.#place()).open() });
    await this.#continuity.restore({ file: this.#backup });
    this.#project = (await this.#continuity.find(project_id))!;
    return this.#next();
  }

  async #attempt({ effect, name, spelling, fate, repeat, by }: Move & { do: "attempt" }): Promise<void> {
    const key = EFFECTS[effect % EFFECTS.length]!;
    // A name belongs to one effect, as a model that names the invoice gives it.
    const step = {
      step_id: `${key}, name ${name % 3}`,
      step_type: "non_idempotent",
      idempotency_key: SPELLINGS[spelling % SPELLINGS.length]!(key),
      ...(repeat ? { repeat: "after-unknown" as const } : {}),
    } as const;
    const { acts, says } = FATES[fate]!;
    if (by === "runStep" && says !== "nothing" && says !== "not_done") {
      const body = async (): Promise<string> => {
        if (acts) this.world.act(key, repeat);
        if (says === "unknown") throw new Error("the connection broke");
        return "done";
      };
      const outcome = await this.#project.runStep(this.#lease, step, body).catch(refused);
      if (outcome && !outcome.executed) assert.ok(this.world.count(key) > 0, "a result of what never happened");
      return;
    }
    const start = (await this.#project.steps.begin(this.#lease, step).catch(refused)) as StepStart | undefined;
    if (start?.status === "completed") assert.ok(this.world.count(key) > 0, "a result of what never happened");
    if (start?.status !== "run") return;
    if (acts) this.world.act(key, repeat);
    if (says === "completed") await this.#project.steps.complete(this.#lease, start, "done");
    else if (says === "nothing") await this.#next();
    else await this.#project.steps.fail(this.#lease, start, "it failed", { mayHaveActed: says === "unknown" });
  }

  /** An honest person looks whether it happened, and says so. */
  async #resolve({ which, isGivenUp }: Move & { do: "resolve" }): Promise<void> {
    const open: readonly OpenStep[] = (await this.#project.activeWork()).open_steps;
    const attempt = open[which % Math.max(1, open.length)];
    if (!attempt) return;
    const { step_id, attempt_id, idempotency_key } = attempt;
    // The outside system tells whether, not by which attempt.
    const happened = this.world.count(idempotency_key!) > 0;
    const outcome = isGivenUp ? "abandoned" : happened ? "completed" : "not_done";
    await this.#project.steps.resolve(this.#lease, { step_id, attempt_id, outcome, reason: "looked up" });
  }

  /** Whoever confirms has seen to it that what happened is recorded. */
  async #confirm(): Promise<void> {
    for (const key of EFFECTS) {
      const effect = await this.#project.effect(key);
      const isKnown = effect.status === "done" || (effect.status === "may_have_happened" && effect.attempts.length > 0);
      if (this.world.count(key) > 0 && !isKnown) return;
    }
    await this.#project.confirmCopy("all was looked up").catch(refused);
  }

  async check(told: string): Promise<void> {
    for (const key of EFFECTS) {
      const count = this.world.count(key);
      const said = this.world.words.get(key) ?? 0;
      assert.ok(
        count <= 1 + said,
        `${key} happened ${count} times, and ${said} were said to do no harm, behind ${told}`,
      );
      const { status } = await this.#project.effect(key);
      const isRight = count > 0 ? status === "done" || status === "may_have_happened" : status !== "done";
      assert.ok(isRight, `${key} happened ${count} times, and is said to be ${status}, behind ${told}`);
    }
  }

  async end(): Promise<void> {
    assert.deepEqual((await this.#project.verify()).damages, []);
  }
}

/** Refusals are the kernel's right; anything else is a fault. */
function refused(error: Error & { readonly code?: string }): undefined {
  const allowed = ["step-unknown", "step-open", "step-abandoned", "invalid-transition", "bad-input"];
  if (!allowed.includes(error.code ?? "") && error.message !== "the connection broke") throw error;
}
