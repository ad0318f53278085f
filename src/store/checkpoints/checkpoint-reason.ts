import type { Checkpoint } from "../../journal/checkpoints.ts";

const REASONS: Readonly<Record<Checkpoint["operation"], string>> = {
  api_call: "before a turn",
  tool_cycle: "before tool calls",
  compaction: "before a compaction",
  // A rollback makes one of the end that it leaves; the library makes one when its caller says so.
  manual: "before a rollback, or by a program",
};

/** Why a checkpoint was made, in words for users. */
export function checkpointReason({ operation }: Pick<Checkpoint, "operation">): string {
  return REASONS[operation] ?? operation;
}
