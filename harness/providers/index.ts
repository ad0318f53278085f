/** Strict providers of five APIs on loopback: they refuse what the real ones refuse, and fail as the real ones fail. */
export { contentFilterForms } from "./content-filters.ts";
export type { ContentFilterForm } from "./content-filters.ts";
export { decodeEvents, encodeEvent } from "./eventstream.ts";
export {
  atMostToolBlocks,
  atMostToolUses,
  noImageInToolResult,
  noParallelCalls,
  noTextBesideToolUse,
  noToolBlocksAtAll,
  noToolNamed,
  noToolResultOver,
  noToolUseBeforeMessage,
  randomExtraRule,
  refuseEverything,
  toolNameAmong,
} from "./extra-rules.ts";
export type { Telling } from "./extra-rule-texts.ts";
export { FAULT_APIS, FAULTS } from "./faults.ts";
export { fingerprintBody, sameRequestTwice } from "./fingerprint.ts";
export { listViolations } from "./rules/index.ts";
export { startProvider } from "./server.ts";
export { signThinking } from "./signatures.ts";
export { APIS } from "./types.ts";
export type {
  Api,
  BlockForm,
  ExtraRule,
  FaultName,
  Front,
  FrontAnswer,
  FrontRequest,
  RecordedRequest,
  Refusal,
  RuleContext,
  Step,
  StrictProvider,
  ToolCallSpec,
  Violation,
} from "./types.ts";
