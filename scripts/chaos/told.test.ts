import { describe, expect, it } from "vitest";
import { realOutcome, type ToolPlan } from "./calls.ts";
import { readCycles, readTold } from "./told.ts";

const CALL: ToolPlan = { id: "toolu3ak0r0c1", tool: "exec", ms: 120, fails: false };
const use = {
  role: "assistant",
  content: [
    { type: "text", text: "Let me see." },
    { type: "tool_use", id: "toolu3ak0r0c1x2", name: "exec", input: { command: `sh work.sh ${CALL.id} 120 0` } },
  ],
};
const result = (text: string) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "toolu3ak0r0c1x2", content: [{ type: "text", text }] }],
});
const told = (text: string) =>
  readTold(CALL, readCycles({ messages: [{ role: "user", content: "go" }, use, result(text)] })).told;

describe("reads what a request tells of a call, also where OpenClaw has rewritten its id", () => {
  it("takes only the tool's own words for a result, and not those of another call", () => {
    expect(told(`${realOutcome(CALL)}\n`)).toBe("result");
    expect(told(realOutcome({ id: CALL.id, ms: 121 }))).toBe("other");
    expect(told(realOutcome({ id: "toolu3ak0r0c0", ms: 120 }))).toBe("other");
  });

  it("tells an unknown outcome, a call that was not started and an invented result apart", () => {
    expect(told("[Its outcome is unknown: it may have run.]")).toBe("unknown");
    expect(told("[OpenClaw was stopped before this call; it was not started.]")).toBe("not started");
    expect(told("No result provided")).toBe("invented");
    expect(
      told("[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."),
    ).toBe("invented");
  });

  it("sees a call that is not there at all", () => {
    expect(readTold(CALL, readCycles({ messages: [{ role: "user", content: "go" }] })).told).toBe("absent");
  });
});

describe("half cycles", () => {
  it("a call whose result is not right behind it, and a result without its call", () => {
    const asked = { role: "user", content: "go" };
    expect(readCycles({ messages: [asked, use, result("x")] }).halves).toEqual([]);
    expect(readCycles({ messages: [asked, use] }).halves).toEqual([`call ${CALL.id}`]);
    expect(readCycles({ messages: [asked, use, asked, result("x")] }).halves).toEqual([
      `call ${CALL.id}`,
      "result toolu3ak0r0c1x2",
    ]);
    expect(readCycles({ messages: [result("x")] }).halves).toEqual(["result toolu3ak0r0c1x2"]);
  });
});
