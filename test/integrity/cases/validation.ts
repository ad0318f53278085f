import { expect, it } from "vitest";
import type { SessionKind } from "../kind.ts";
import { WRITERS } from "../messages.ts";
import type { Scene } from "./scene.ts";

/** Validation: cases 1 to 5. */
export function validationCases(kind: SessionKind, scene: Scene): void {
  const { user, says, calls, results } = WRITERS[kind.format];

  it("1. valid session with no tools: passes", async () => {
    const session = await kind.open([user("Hello"), says("Hi")]);
    expect(scene.integrity().validate(session)).toEqual({ valid: true });
    expect(scene.events()).toEqual(["l0:validation:pass"]);
  });

  it("2. valid session with matched tool_use and tool_result: passes, and so does the current turn's open call", async () => {
    expect(scene.integrity().validate(await kind.open(scene.healthy()))).toEqual({ valid: true });
    const parallel = [
      user("Both"),
      calls("toolu_a", "toolu_b"),
      ...results(["toolu_a", "1"], ["toolu_b", "2"]),
      says("Done"),
    ];
    expect(scene.integrity().validate(await kind.open(parallel))).toEqual({ valid: true });
    const current = await kind.open([user("Look"), calls("toolu_now")]);
    expect(scene.integrity().validate(current)).toEqual({ valid: true });
    expect(scene.integrity().validate(current, { allowOpenEnd: false })).toMatchObject({
      valid: false,
      incompleteIds: ["toolu_now"],
    });
  });

  it("3. orphaned tool_result: fails and names the orphan", async () => {
    const result = scene.integrity().validate(await kind.open(scene.orphaned()));
    expect(result).toMatchObject({ valid: false, orphanedIds: ["toolu_gone"] });
    expect(result.error).toContain("Orphaned tool_result: toolu_gone");
    expect(scene.events()).toEqual(["l0:validation:fail"]);
  });

  it("4. incomplete tool_use: fails and names the call", async () => {
    const result = scene.integrity().validate(await kind.open(scene.incomplete()));
    expect(result).toMatchObject({ valid: false, incompleteIds: ["toolu_open"] });
    expect(result.error).toContain("Incomplete tool_use: toolu_open");
  });

  it("5. duplicate tool ids: fails", async () => {
    const twice = [
      user("Look"),
      calls("toolu_1"),
      ...results(["toolu_1", "a"]),
      user("Again"),
      calls("toolu_1"),
      ...results(["toolu_1", "b"]),
      says("Done"),
    ];
    const result = scene.integrity().validate(await kind.open(twice));
    expect(result).toMatchObject({ valid: false, duplicateIds: ["toolu_1"] });
    expect(result.error).toContain("Duplicate tool_use id: toolu_1");
  });
}
