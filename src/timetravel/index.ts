/**
 * Time travel: moves of an agent or an operator to an earlier entry of a session. For users it is described in
 * docs/time-travel.md.
 */
export { type Action, buildActionLog, type HashedAction, NOT_ACCEPTED, NOT_REACHED } from "./action-log.ts";
export {
  type Carryover,
  buildCarryover,
  checkedNote,
  toContent,
  MAX_CARRYOVER,
  operatorCarryoverText,
} from "./carryover.ts";
export { type CallsAround, callsAround, type SeenCall, type WorkAtMove, type WorkReader } from "./carry/work.ts";
export { canGoTo, isClosed } from "./closed.ts";
export {
  answeredKey,
  findAuthor,
  conversationEnd,
  listAttached,
  isOwnCommand,
  isRequest,
  readMedia,
} from "./conversation/authors.ts";
export { type AskedPlace, askedPlaces } from "./view/asked.ts";
export { type Change, previewChange } from "./view/change.ts";
export { COMPACT_BYTES, compactTimeline } from "./view/compact.ts";
export { turnStarts } from "./conversation/turns.ts";
export { listQuestionIds } from "./conversation/unanswered.ts";
export { TimeTravelError, type TimeTravelErrorCode } from "./errors.ts";
export { type GraphLine, drawGraph } from "./view/graph.ts";
export { History, type HistoryNode, type NodeRole, textOfNode } from "./history.ts";
export { historyOfRows } from "./history-of-rows.ts";
export { assertMayMove, MAX_MOVES } from "./limits.ts";
export {
  type AgentTimeline,
  type AskedPlaces,
  enterTravel,
  leaveTravel,
  type MarkedPlace,
  type RequestedMove,
  type TravellingSession,
  travellingSession,
} from "./live.ts";
export { agentMarks, placeToMark } from "./names/agent-marks.ts";
export { assertName } from "./names/names.ts";
export { byShortId, MIN_SHORT_ID, SHOWN_SHORT_ID, ShortIds, toShortIds } from "./names/short-ids.ts";
export { NodeHashes } from "./node-hash.ts";
export {
  ABORTED_TYPE,
  readAborted,
  readArrival,
  CARRYOVER_TYPE,
  intentDetails,
  readIntent,
  markDetails,
  MOVE_KIND,
  type MoveAborted,
  type MoveArrival,
  type MovedBy,
  type MoveIntent,
  TIMELINE_TOOL,
  TOBE_TOOL,
} from "./records.ts";
export {
  type CheckpointLookup,
  type ReferenceLookup,
  resolveTarget,
  type Target,
  type TargetOptions,
} from "./target.ts";
export { type Timeline, timeline, type TimelineNode, type TimelineOptions } from "./timeline.ts";
