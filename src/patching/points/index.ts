/** The patch points of the set, in the order of a turn. */
import type { PatchPoint } from "../source/point.ts";
import { acceptedMessage } from "./accepted-message.ts";
import { acknowledgedMessage } from "./acknowledged-message.ts";
import { followupQueues } from "./followup-queues.ts";
import { attemptHistoryGate, attemptHistoryLoad, compactionHistoryGate, compactionHistoryLoad } from "./history.ts";
import { sessionIndex } from "./session-index.ts";
import { sessionProjection } from "./session-projection.ts";
import { sessionLock } from "./session-lock.ts";
import { sessionLoad } from "./session-load.ts";
import { sessionReset } from "./session-reset.ts";

export const PATCH_POINTS: readonly PatchPoint[] = [
  acknowledgedMessage,
  acceptedMessage,
  sessionLoad,
  sessionIndex,
  sessionProjection,
  attemptHistoryLoad,
  attemptHistoryGate,
  compactionHistoryLoad,
  compactionHistoryGate,
  sessionReset,
  sessionLock,
  followupQueues,
];

/**
 * Version of the inserted lines, raised with every change; an installation with another version is patched again from
 * its original.
 */
export const PATCH_SET = "12";

/** Only chunks that contain one of these texts are parsed. */
export const NEEDLES: readonly string[] = [...new Set(PATCH_POINTS.flatMap(({ needles }) => needles))];
