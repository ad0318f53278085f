import type { Checkpoint } from "../../journal/checkpoints.ts";

const REASONS: Readonly<Record<Checkpoint["operation"], string>> = {
  api_call: "before a turn",
  tool_cycle: "before tool calls",
  compaction: "before a compaction",
  manual: "made by hand",
};

/** Why a checkpoint was made, in words for users. */
export function checkpointReason({ operation }: Pick<Checkpoint, "operation">): string {
  return REASONS[operation] ?? operation;
}
