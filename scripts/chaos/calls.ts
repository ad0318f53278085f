import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCallSpec } from "../../harness/providers/index.ts";

/** One call of a real tool: `exec` runs a script that writes down what it does, `read` reads a file of its own. */
export interface ToolPlan {
  /** Letters and digits, so that no release writes it anew; it also stands in the arguments. */
  id: string;
  tool: "exec" | "read";
  /** How long the command takes. */
  ms: number;
  /** Whether the command ends with exit code 1, or the file is not there. */
  fails: boolean;
}

/** Where the scripts, their files and their traces lie. */
export interface Places {
  workspace: string;
  /** One file for each command, and one for each process of OpenClaw. */
  traces: string;
}

// The trace is on the disk before the command goes on, and names the time in milliseconds.
const SCRIPT = `trace="$(dirname "$0")/../traces/$1.txt"
echo "started $(date +%s%3N)" >> "$trace"; sync "$trace"
sleep "$(printf '%d.%03d' $(($2 / 1000)) $(($2 % 1000)))"
echo "finished $(date +%s%3N)" >> "$trace"; sync "$trace"
echo "outcome-$1-$((($2 + 7) * 7919))"
exit "$3"
`;

/** The folders of a home, with the script in them. */
export function makePlaces(home: string): Places {
  const places = { workspace: join(home, "workspace"), traces: join(home, "traces") };
  mkdirSync(join(places.workspace, "notes"), { recursive: true });
  mkdirSync(places.traces, { recursive: true });
  writeFileSync(join(places.workspace, "work.sh"), SCRIPT);
  return places;
}

/** The call as the model asks for it; what it reads is put there first. */
export function prepareCall({ id, tool, ms, fails }: ToolPlan, { workspace }: Places): ToolCallSpec {
  if (tool === "exec")
    return {
      id,
      name: "exec",
      arguments: { command: `sh ${join(workspace, "work.sh")} ${id} ${ms} ${fails ? 1 : 0}` },
    };
  if (!fails) writeFileSync(join(workspace, "notes", `${id}.txt`), `${realOutcome({ id, ms })}\n`);
  return { id, name: "read", arguments: { path: `notes/${id}.txt` } };
}

/** What only the real result of a call holds: it stands neither in the arguments nor anywhere else. */
export function realOutcome({ id, ms }: Pick<ToolPlan, "id" | "ms">): string {
  return `outcome-${id}-${(ms + 7) * 7919}`;
}

/** Whether a text is the real result of a call. */
export function isRealResult(plan: ToolPlan, text: string): boolean {
  if (plan.tool === "read" && plan.fails) return /ENOENT|no such file|not found/i.test(text);
  return text.includes(realOutcome(plan));
}
