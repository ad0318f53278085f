import { expect, it } from "vitest";
import { faultOfReport } from "./judge.ts";
import { judgeTruth } from "./truth.ts";

const KILL = 10_000;
const truth = (
  facts: Record<string, number>,
  more: { asked?: boolean; seesEvents?: boolean; tool?: "exec" | "read" } = {},
) => {
  const { asked = true, seesEvents = true, tool = "exec" } = more;
  const times = new Map(Object.entries(facts).map(([what, before]) => [what, KILL - before]));
  return judgeTruth({ tool }, { killedAt: KILL, asked, facts: times, marginMs: 50, seesEvents });
};

it("counts a result as finished only when OpenClaw had said so the margin before the kill", () => {
  const ran = { begun: 400, started: 390, finished: 200 };
  expect(truth({ ...ran, returned: 50 })).toBe("finished");
  expect(truth({ ...ran, returned: 49 })).toBe("too close");
  // The command had long ended, but that proves nothing about OpenClaw.
  expect(truth(ran)).toBe("ended unheard");
});

it("takes the end of the command where no events are seen", () => {
  expect(truth({ started: 390, finished: 51 }, { seesEvents: false })).toBe("finished");
  expect(truth({ started: 390, finished: 20 }, { seesEvents: false })).toBe("ended unheard");
});

it("a command that began or ended as an orphan, behind the kill, was running", () => {
  expect(truth({ begun: 5, started: -20 })).toBe("running");
  expect(truth({ begun: 5, started: 3, finished: -100 })).toBe("running");
});

it("tells what never began apart from what was never asked for, and from what did nothing", () => {
  expect(truth({}, { asked: false })).toBe("cut off");
  expect(truth({})).toBe("not begun");
  expect(truth({ begun: 3 })).toBe("begun, did nothing");
  expect(truth({ begun: 3 }, { tool: "read" })).toBe("running");
});

it("a result that OpenClaw had must be told, and nothing may be told that is false", () => {
  for (const told of ["unknown", "not started", "absent", "invented"] as const)
    expect(faultOfReport("finished", told)).toBe("result lost");
  for (const told of ["not started", "absent", "invented", "other"] as const)
    expect(faultOfReport("running", told)).toBe("told wrongly");
  expect(faultOfReport("not begun", "invented")).toBe("told wrongly");
  expect(faultOfReport("finished", "result")).toBeUndefined();
  expect(faultOfReport("running", "unknown")).toBeUndefined();
  for (const told of ["not started", "absent", "unknown"] as const)
    expect(faultOfReport("not begun", told)).toBeUndefined();
  expect(faultOfReport("too close", "unknown")).toBeUndefined();
});
