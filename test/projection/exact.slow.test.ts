import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import type { OpenClawSession } from "../../src/store/openclaw/openclaw-sessions.ts";
import { says, user } from "../../harness/openclaw/samples.ts";
import { openProjections, packageFolder, RELEASE, type RealProjections } from "./real.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 30);
const AS_IT_IS = { idempotencyLookup: "caller-checked" } as const;

/** What OpenClaw's session manager has besides. */
interface Manager extends OpenClawSession {
  appendModelChange(provider: string, model: string): unknown;
  appendLeafControl(control: { targetId: string | null; appendParentId: string | null; appendMode?: "side" }): unknown;
}

/** What somebody does to a session; numbers choose among the entries that are there. */
type Step =
  | { readonly kind: "user" | "assistant" | "note" | "record" | "aside" }
  | { readonly kind: "branch" | "leaf" | "compaction" | "reset" | "rewrite"; readonly at: number }
  | { readonly kind: "beginning" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom<Step>({ kind: "user" }, { kind: "assistant" }, { kind: "note" }, { kind: "record" }),
  },
  { weight: 4, arbitrary: fc.nat().map((at): Step => ({ kind: "branch", at })) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: "beginning" }, { kind: "aside" }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("leaf", "compaction", "reset", "rewrite"), fc.nat())
      .map(([kind, at]) => ({ kind, at }) as Step),
  },
);

/** Another row: the last one, one of those before it, none, or one that is not there. */
const anyOther = fc.oneof(
  { weight: 4, arbitrary: fc.constant("last") },
  { weight: 3, arbitrary: fc.nat() },
  { weight: 1, arbitrary: fc.constantFrom(null, "nowhere") },
);
/** A row as it may come from an import, or from a program that knows the format. */
const anyRow = fc.record({
  type: fc.oneof(
    { weight: 6, arbitrary: fc.constant("message") },
    { weight: 3, arbitrary: fc.constantFrom("custom", "custom_message", "compaction", "leaf", "leaf") },
    { weight: 1, arbitrary: fc.constantFrom("reset", "label", "foreign") },
  ),
  parentId: fc.oneof({ weight: 12, arbitrary: anyOther }, { weight: 1, arbitrary: fc.constant(undefined) }),
  targetId: anyOther,
  appendParentId: fc.oneof(fc.constant(undefined), anyOther),
  appendMode: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant("side") }),
  role: fc.constantFrom("user", "assistant", "toolResult"),
  isLeftOut: fc.nat(9).map((n) => n === 0),
});
type AnyRow = typeof anyRow extends fc.Arbitrary<infer Row> ? Row : never;
const FIRST: AnyRow = {
  type: "message",
  parentId: null,
  targetId: null,
  appendParentId: undefined,
  appendMode: undefined,
  role: "user",
  isLeftOut: false,
};

/** The row under the next id, with the ids that it names. */
function makeRow({ role, isLeftOut, ...row }: AnyRow, ids: string[]): object {
  const id = `e${ids.length}`;
  const named = (other: unknown): unknown =>
    other === "last" ? (ids.at(-1) ?? null) : typeof other === "number" ? (ids[other % ids.length] ?? null) : other;
  const message =
    row.type === "message"
      ? { role, content: `said in ${id}`, ...(isLeftOut && { excludeFromContext: true }) }
      : undefined;
  const given = {
    ...row,
    id,
    timestamp: "2026-02-06T09:00:00.000Z",
    parentId: named(row.parentId),
    targetId: named(row.targetId),
    appendParentId: named(row.appendParentId),
    message,
  };
  ids.push(id);
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

describe(`the projection of a session of OpenClaw ${RELEASE}, patched, is what a full rebuild makes of the rows`, () => {
  let state: string;
  let real: RealProjections;
  beforeAll(async () => {
    state = newFolder();
    real = await openProjections(packageFolder("patched"), state);
  });
  afterEach(() => void delete process.env["OPENCLAW_INTEGRITY"]);
  afterAll(() => {
    real.close();
  });

  async function empty(): Promise<string> {
    const id = randomUUID();
    await real.store({
      id,
      key: `agent:main:${id}`,
      api: "anthropic-messages",
      transcript: `${JSON.stringify({ type: "session", version: 3, id, timestamp: "2026-02-06T09:00:00.000Z", cwd: "/workspace" })}\n`,
    });
    return id;
  }

  it("whatever its session manager is asked for: at once, in the same commit, in all three tables", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 25 }), async (steps) => {
        const id = await empty();
        const open = (): Manager => real.openclaw.open(real.toTarget(id)) as Manager;
        let manager = open();
        for (const [at, step] of [{ kind: "user" } as Step, ...steps].entries()) {
          try {
            await take(manager, step, at);
          } catch (error) {
            // Behind a leaf control a manager may not know its own session any more, also unpatched.
            if (!(error instanceof Error) || error.name !== "SqliteTranscriptMutationConflictError") throw error;
            manager = open();
          }
          const now = real.stored(id);
          expect(now.state, `behind step ${at}, ${step.kind}`).toMatchObject({ needs_rebuild: 0 });
          expect(now, `behind step ${at}, ${step.kind}`).toEqual(real.rebuilt(id));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("whatever rows are appended, one by one and as a batch, in a transaction: as in the session beside it, which OpenClaw itself rebuilds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyRow, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 12 }),
        fc.boolean(),
        async (batches, isBatch) => {
          const [guarded, unguarded] = [await empty(), await empty()];
          const ids: string[] = [];
          // Without a first row that all others can stand behind, OpenClaw's own appends do not agree with its own
          // rebuild.
          for (const batch of [[FIRST], ...batches]) {
            const rows = batch.map((row) => makeRow(row, ids));
            append(guarded, rows, isBatch);
            process.env["OPENCLAW_INTEGRITY"] = "off";
            for (const row of rows) append(unguarded, [row], false, true);
            delete process.env["OPENCLAW_INTEGRITY"];
            // Of a batch a second full rebuild is left to OpenClaw.
            if (isBatch && rows.length > 1 && real.stored(guarded).state?.["needs_rebuild"] === 1)
              append(guarded, [], false, true);
            expect(real.stored(guarded), JSON.stringify(rows)).toEqual(real.stored(unguarded));
          }
        },
      ),
      { numRuns: RUNS * 5 },
    );
  });

  function append(sessionId: string, rows: readonly unknown[], isBatch: boolean, isRebuilt = false): void {
    const scope = real.toTarget(sessionId);
    real.runOpenClawAgentWriteTransaction(
      (database) => {
        if (isBatch) real.appendTranscriptEventsInTransaction(database, scope, rows);
        else for (const row of rows) real.appendTranscriptEventInTransaction(database, scope, row);
        if (isRebuilt) real.reconcileSessionTranscriptIndexInTransaction(database.db, sessionId);
      },
      { agentId: "main" },
    );
  }
});

async function take(manager: Manager, step: Step, nth: number): Promise<void> {
  const entries = manager.getEntries();
  const chosen = (at: number): string => entries[at % entries.length]!.id;
  switch (step.kind) {
    case "user":
      return void manager.appendMessage(user(`question ${nth}`), AS_IT_IS);
    case "assistant":
      return void manager.appendMessage(says(`answer ${nth}`), AS_IT_IS);
    case "note":
      return void manager.appendCustomMessageEntry("note", `note ${nth}`, true);
    case "record":
      return void manager.appendCustomEntry("record", { nth });
    case "aside":
      return void (await manager.appendModelChange("anthropic", `model-${nth}`));
    case "beginning":
      return manager.resetLeaf();
    case "branch":
      return manager.branch(chosen(step.at));
    case "leaf":
      return void (await manager.appendLeafControl({
        targetId: chosen(step.at),
        appendParentId: chosen(step.at + nth),
      }));
    case "compaction":
      return void manager.appendCompaction("what was before", chosen(step.at), 100);
    case "reset":
      return void manager.appendResetBoundary("reset", step.at % 2 === 0 ? undefined : chosen(step.at));
    case "rewrite": {
      // A rewrite takes no manager that has moved and not written.
      manager.appendCustomEntry("record", { nth });
      const rewrite = manager.prepareTranscriptRewrite!();
      rewrite.sessionManager.branch(chosen(step.at));
      rewrite.sessionManager.appendCustomMessageEntry("note", `again ${nth}`, true);
      rewrite.sessionManager.appendCustomEntry("record", { nth });
      return rewrite.commit(new Map());
    }
  }
}
