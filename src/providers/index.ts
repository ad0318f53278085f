/**
 * Strict providers of five APIs on loopback: they refuse what the real ones refuse, and fail as the real ones fail.
 * They share no code with src/wire.
 */
export { ADAPTERS } from "./apis/index.ts";
export { conversationStrings, readTurns } from "./conversation.ts";
export type { ToolPart, Turn } from "./conversation.ts";
export { decodeEvents, encodeEvent } from "./eventstream.ts";
export type { DecodedEvent } from "./eventstream.ts";
export { FAULT_APIS, FAULTS } from "./faults.ts";
export { fingerprintBody, sameRequestTwice } from "./fingerprint.ts";
export { isObject } from "./json.ts";
export { listViolations } from "./rules/index.ts";
export { startProvider } from "./server.ts";
export { signThinking } from "./signatures.ts";
export { APIS } from "./types.ts";
export type {
  Api,
  ApiAdapter,
  BlockForm,
  ExtraRule,
  FaultName,
  Front,
  FrontAnswer,
  FrontRequest,
  JsonObject,
  RecordedRequest,
  Refusal,
  RuleContext,
  Step,
  StrictProvider,
  ToolCallSpec,
  Violation,
} from "./types.ts";
