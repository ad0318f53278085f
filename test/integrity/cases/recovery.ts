import { expect, it } from "vitest";
import { UNKNOWN_OUTCOME } from "../../../src/transcript/json/text.ts";
import type { SessionKind } from "../kind.ts";
import { WRITERS } from "../messages.ts";
import { text, type Scene } from "./scene.ts";

/** Recovery: cases 13 to 15. */
export function recoveryCases(kind: SessionKind, scene: Scene): void {
  const { user, says, calls, results } = WRITERS[kind.format];

  it("13. repair orphaned tool_result: removed; a displaced one is moved to its call", async () => {
    const session = await kind.open(scene.orphaned());
    const integrity = scene.integrity();
    const result = await integrity.repair(session);
    expect(result.repairs).toMatchObject([{ action: "remove_orphan", toolUseId: "toolu_gone" }]);
    const reopened = await kind.reopen(session);
    expect(integrity.validate(reopened)).toEqual({ valid: true });
    expect(text(reopened.messages)).not.toContain("lost");
    expect(text(await kind.everything(reopened))).toContain("lost");
    expect(scene.events().filter((name) => name.startsWith("l0:repair"))).toEqual([
      "l0:repair:start",
      "l0:repair:complete",
    ]);

    const displaced = await kind.open([
      user("Look"),
      calls("toolu_1"),
      user("Well?"),
      ...results(["toolu_1", "seen"]),
      says("Done"),
    ]);
    expect((await integrity.repair(displaced)).repairs.map(({ action }) => action)).toContain("move_result");
    expect(text((await kind.reopen(displaced)).messages)).toContain("seen");
    expect(integrity.validate(displaced)).toEqual({ valid: true });
  });

  it("14. repair incomplete tool_use: no open call is left, and what nobody knows the outcome of is told so", async () => {
    const session = await kind.open(scene.incomplete());
    const integrity = scene.integrity();
    const result = await integrity.repair(session);
    expect(result).toMatchObject({
      repaired: true,
      repairs: [{ kind: "missing_tool_result", toolUseId: "toolu_open" }],
    });
    const reopened = await kind.reopen(session);
    expect(integrity.validate(reopened, { allowOpenEnd: false })).toEqual({ valid: true });
    // The tool may have run: the call cannot simply be removed.
    expect(text(reopened.messages)).toContain(UNKNOWN_OUTCOME);
    expect(await integrity.repair(reopened)).toMatchObject({ repaired: false, repairs: [] });
  });

  it("14. repair a tool_use that was cut off while the model wrote it: removed", async () => {
    const cut = calls("toolu_cut");
    (cut.content as Record<string, unknown>[])[0]!.partialJson = '{"pa';
    const session = await kind.open([user("Hello"), cut, user("And now?"), says("Well")]);
    const integrity = scene.integrity();
    await integrity.repair(session);
    const reopened = await kind.reopen(session);
    expect(integrity.validate(reopened)).toEqual({ valid: true });
    expect(text(reopened.messages)).not.toContain("toolu_cut");
  });

  it("15. reset session: clean state, archived", async () => {
    const session = await kind.open(scene.orphaned());
    const before = [...session.messages];
    const integrity = scene.integrity();
    await integrity.checkpoint(session, "manual");
    const result = await integrity.reset(session, { tail: false });
    expect(result).toMatchObject({
      success: true,
      archived: true,
      archive: expect.any(String) as string,
      remainingMessages: 0,
    });
    const reopened = await kind.reopen(session);
    expect(reopened.messages).toEqual([]);
    expect(await integrity.checkpoints(reopened).list(session.id)).toEqual([]);
    if (kind.archived) expect(await kind.archived(result.archive!)).toEqual(before);
    await reopened.append([user("Anew")]);
    expect((await kind.reopen(reopened)).messages.length).toBe(1);
  });

  it("15. reset session: what was said last is carried over as words", async () => {
    const session = await kind.open(scene.healthy());
    const integrity = scene.integrity();
    expect(await integrity.reset(session)).toMatchObject({ archived: true, remainingMessages: 1 });
    expect(text((await kind.reopen(session)).messages)).toMatch(
      /The user said:.{1,10}Hello.*The assistant said:.{1,10}Done/,
    );
    expect(integrity.validate(session)).toEqual({ valid: true });
  });
}
