import type { Checkpoint } from "../../journal/checkpoints.ts";

const OCCASIONS: Readonly<Record<Checkpoint["operation"], string>> = {
  api_call: "before a turn",
  tool_cycle: "before tool calls",
  compaction: "before a compaction",
  manual: "made by hand",
};

/** What a checkpoint was made for, in words. */
export function occasionOf({ operation }: Pick<Checkpoint, "operation">): string {
  return OCCASIONS[operation] ?? operation;
}
