/** The conformance kit for agents: cases as data, what drives an agent through them, and what judges its requests. */
export { makeCases } from "./make-cases.ts";
export type { Kind, TestCase } from "./cases/case.ts";
export { type Form, RENDER } from "./cases/forms.ts";
export { AgentTestError } from "./errors.ts";
export type { Fault, FaultKind } from "./judge/judge.ts";
export { type AgentReport, type CaseReport, testAgent } from "./run.ts";
