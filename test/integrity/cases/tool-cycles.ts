import { expect, it } from "vitest";
import type { SessionKind } from "../kind.ts";
import { WRITERS } from "../messages.ts";
import { failing } from "../../../harness/openclaw/overriding.ts";
import { FILTERED, text, use, type Scene } from "./scene.ts";

/** Atomic tool cycle: cases 10 to 12. */
export function toolCycleCases(kind: SessionKind, scene: Scene): void {
  const { user, says, calls } = WRITERS[kind.format];

  it("10. successful tool execution: tool_use and tool_result are persisted", async () => {
    const session = await kind.open([user("Look")]);
    const integrity = scene.integrity();
    const result = await integrity.executeToolCycle(session, use("toolu_1"), {
      execute: async (name, input) => ({ output: `${name} ${text(input)}` }),
    });
    expect(result).toEqual({
      success: true,
      result: { type: "tool_result", tool_use_id: "toolu_1", content: 'exec {"for":"toolu_1"}' },
    });
    const reopened = await kind.reopen(session);
    expect(integrity.validate(reopened, { allowOpenEnd: false })).toEqual({ valid: true });
    expect(text(reopened.messages)).toContain("toolu_1");
    expect(reopened.messages.length).toBe(3);
    expect(scene.journal.cycles.open(session.id)).toEqual([]);
    const [checkpoint] = await integrity.checkpoints(session).list(session.id);
    expect(checkpoint).toMatchObject({
      operation: "tool_cycle",
      messageIndex: 1,
      committedAt: expect.any(Number) as number,
    });
    expect(scene.events().filter((name) => name.startsWith("l0:cycle"))).toEqual([
      "l0:cycle:pending",
      "l0:cycle:executing",
      "l0:cycle:recorded",
      "l0:cycle:committed",
    ]);
  });

  it("10. a whole message with parallel calls: stored as one, the failed call told beside the one that ran", async () => {
    const session = await kind.open([user("Both")]);
    const message = calls("toolu_a", "toolu_b") as unknown as { role: "assistant"; content: object[] };
    const integrity = scene.integrity();
    const result = await integrity.executeToolCycle(session, message, {
      execute: async (_name, input) => {
        if (text(input).includes("toolu_b")) throw new Error("no such file");
        return { output: "ran" };
      },
    });
    expect(result).toMatchObject({ success: false, rolledBack: false, error: "no such file" });
    expect(result.results?.map(({ is_error }) => is_error === true)).toEqual([false, true]);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    expect(text((await kind.reopen(session)).messages)).toContain("ran");
  });

  it("11. tool execution fails: rollback, no partial state", async () => {
    const session = await kind.open([user("Look")]);
    const before = [...session.messages];
    const integrity = scene.integrity();
    const result = await integrity.executeToolCycle(session, use("toolu_1"), {
      execute: async () => {
        // A tool may have written to the session before it gave up.
        await session.append([says("half a")]);
        throw new Error("no such tool");
      },
    });
    expect(result).toEqual({ success: false, error: "no such tool", rolledBack: true });
    expect((await kind.reopen(session)).messages).toEqual(before);
    expect(scene.journal.cycles.open(session.id)).toEqual([]);
    expect((await integrity.checkpoints(session).list(session.id))[0]?.rolledBackAt).toBeGreaterThan(0);
  });

  it("11. a tool that ran and failed has acted: its error is its result", async () => {
    const session = await kind.open([user("Look")]);
    const result = await scene
      .integrity()
      .executeToolCycle(session, use("toolu_1"), { execute: () => ({ output: "exit code 1", isError: true }) });
    expect(result).toMatchObject({ success: true, result: { is_error: true } });
    expect(text((await kind.reopen(session)).messages)).toContain("exit code 1");
  });

  it("11. the result cannot be persisted: it stays in the journal, and repair puts it in its place", async () => {
    const session = await kind.open([user("Look")]);
    const integrity = scene.integrity();
    let runs = 0;
    const result = await integrity.executeToolCycle(failing(session, "persistToolCycle", "disk full"), use("toolu_1"), {
      execute: () => ({ output: `ran ${++runs}` }),
    });
    expect(result).toMatchObject({ success: false, rolledBack: false, result: { content: "ran 1" } });
    expect(result.error).toMatch(/disk full.*kept in the journal/);
    expect(session.messages.length).toBe(1);
    expect(scene.journal.cycles.open(session.id)).toMatchObject([{ state: "recording" }]);
    const repaired = await integrity.repair(await kind.reopen(session));
    expect(repaired.repairs).toMatchObject([{ action: "completed_cycle", toolUseId: "toolu_1" }]);
    const reopened = await kind.reopen(session);
    expect(text(reopened.messages)).toContain("ran 1");
    expect(integrity.validate(reopened, { allowOpenEnd: false })).toEqual({ valid: true });
    expect(runs).toBe(1);
    expect(scene.journal.cycles.open(session.id)).toEqual([]);
  });

  it("12. content filter during the tool: rollback, clean state", async () => {
    const session = await kind.open([user("Look")]);
    const before = [...session.messages];
    const integrity = scene.integrity();
    const result = await integrity.executeToolCycle(session, use("toolu_1"), {
      execute: async () => {
        await session.append([says("half a")]);
        throw FILTERED;
      },
    });
    expect(result).toMatchObject({ success: false, rolledBack: true, contentFilter: true });
    expect((await kind.reopen(session)).messages).toEqual(before);
    expect(scene.journal.incidents.list({ sessionId: session.id })).toMatchObject([{ kind: "content_filter" }]);
  });
}
