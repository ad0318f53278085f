import { expect, it } from "vitest";
import type { SessionKind } from "../kind.ts";
import { WRITERS } from "../messages.ts";
import { FILTERED, text, use, type Scene } from "./scene.ts";

/** Integration: cases 16 to 18. */
export function integrationCases(kind: SessionKind, scene: Scene): void {
  const { user, says } = WRITERS[kind.format];

  it("16. API call with a valid session: proceeds with the very messages", async () => {
    const session = await kind.open([...scene.healthy(), user("More")]);
    const integrity = scene.integrity();
    const result = await integrity.guardCall(session, async (messages) => messages);
    expect(result).toEqual({ outcome: "answered", response: session.messages });
    expect(await integrity.checkpoints(session).list(session.id)).toMatchObject([
      { operation: "api_call", committedAt: expect.any(Number) as number },
    ]);
  });

  it("17. API call with a corrupt session: blocked, repair offered", async () => {
    const session = await kind.open([...scene.orphaned(), user("More")]);
    const integrity = scene.integrity({ autoRepair: false });
    let sent = 0;
    const send = async (): Promise<string> => `answer ${++sent}`;
    const blocked = await integrity.guardCall(session, send);
    expect(blocked).toMatchObject({ outcome: "blocked", validation: { valid: false, orphanedIds: ["toolu_gone"] } });
    expect(blocked.error).toContain("repair()");
    expect(sent).toBe(0);
    expect(await blocked.repair?.()).toMatchObject({ repaired: true });
    expect(await integrity.guardCall(session, send)).toMatchObject({ outcome: "answered", response: "answer 1" });
  });

  it("17. API call with a corrupt session and autoRepair: repaired, then sent", async () => {
    const session = await kind.open([...scene.orphaned(), user("More")]);
    const result = await scene.integrity().guardCall(session, async (messages) => text(messages));
    expect(result).toMatchObject({ outcome: "answered", repaired: { repaired: true } });
    expect(result.response).not.toContain("toolu_gone");
  });

  it("17. without validateBeforeCall the provider is asked; what it refuses is repaired, and the call goes out again", async () => {
    const session = await kind.open([...scene.orphaned(), user("More")]);
    let sent = 0;
    const result = await scene.integrity({ validateBeforeCall: false }).guardCall(session, async (messages) => {
      sent++;
      if (text(messages).includes("toolu_gone"))
        throw Object.assign(
          new Error("400 messages.2: unexpected `tool_use_id` found in `tool_result` blocks: toolu_gone"),
          { status: 400 },
        );
      return "answered";
    });
    expect(result).toMatchObject({ outcome: "answered", response: "answered" });
    // Where the gate before the provider knows the fault there is no refusal.
    expect(sent).toBeLessThanOrEqual(2);
  });

  it("18. content filter mid-stream: rollback, user notified", async () => {
    const session = await kind.open([...scene.healthy(), user("More")]);
    const before = [...session.messages];
    const integrity = scene.integrity();
    const result = await integrity.guardCall(session, async () => {
      await session.append([says("The first half of an ans")]);
      throw FILTERED;
    });
    expect(result).toMatchObject({
      outcome: "failed",
      recovery: { action: "rolled_back", details: { messagesRemoved: 1 } },
    });
    expect(result.recovery?.message).toMatch(/content filter/);
    expect((await kind.reopen(session)).messages).toEqual(before);
    expect(scene.events()).toContain("l0:recovery:complete");
    expect(scene.journal.incidents.list({ sessionId: session.id })).toMatchObject([{ kind: "content_filter" }]);
  });

  it("18. content filter after a finished tool: what the tool did is not taken back", async () => {
    const session = await kind.open([user("Look")]);
    const integrity = scene.integrity();
    await integrity.checkpoint(session, "api_call");
    await integrity.executeToolCycle(session, use("toolu_1"), { execute: () => ({ output: "sent the mail" }) });
    await session.append([says("The first half of an ans")]);
    expect(await integrity.handleError(session, FILTERED)).toMatchObject({
      action: "rolled_back",
      details: { messagesRemoved: 1 },
    });
    const { messages } = await kind.reopen(session);
    expect(text(messages)).toContain("sent the mail");
    expect(text(messages)).not.toContain("first half");
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
  });
}
