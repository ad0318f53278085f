/** The strict providers of src/providers, with more that tests put in the way of requests. */
export * from "../../src/providers/index.ts";
export { contentFilterForms } from "./content-filters.ts";
export type { ContentFilterForm } from "./content-filters.ts";
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
