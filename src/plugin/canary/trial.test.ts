import { expect, it } from "vitest";
import type { ProofReport, SessionProof } from "../../prove/index.ts";
import { judgeTrial } from "./trial.ts";

const SESSION: SessionProof = {
  id: "displaced-result",
  fault: "",
  passed: false,
  outcome: "0 of 2 messages answered",
  answered: 0,
  messages: 2,
  lost: [],
};
const report = (sessions: readonly SessionProof[]): ProofReport =>
  ({ verdict: "patch", sentence: "NOT proven: OpenClaw ended (78)", sessions }) as unknown as ProofReport;

it("a refused request and a lost result speak against the patch", () => {
  expect(judgeTrial(report([{ ...SESSION, refusal: "tool_result without tool_use" }])).verdict).toBe("patch");
  expect(judgeTrial(report([{ ...SESSION, answered: 2, lost: ["PROOF"] }])).verdict).toBe("patch");
});

it("an OpenClaw that ended or gave an error, as on a machine with too much work, does not", () => {
  expect(judgeTrial(report([]))).toEqual({ verdict: "environment", sentence: "NOT proven: OpenClaw ended (78)" });
  expect(judgeTrial(report([SESSION]))).toEqual({ verdict: "environment", sentence: "0 of 2 messages answered" });
});
