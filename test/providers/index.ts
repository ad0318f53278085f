/** Strict providers of five APIs on loopback: they refuse what the real ones refuse, and fail as the real ones fail. */
export { decodeEvents, encodeEvent } from "./eventstream.ts";
export { FAULTS } from "./faults.ts";
export { violationsOf } from "./rules/index.ts";
export { startProvider } from "./server.ts";
export { signThinking } from "./signatures.ts";
export { APIS } from "./types.ts";
export type {
  Api,
  FaultName,
  RecordedRequest,
  RuleContext,
  Step,
  StrictProvider,
  ToolCallSpec,
  Violation,
} from "./types.ts";
