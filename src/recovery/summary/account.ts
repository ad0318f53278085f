import { isObject } from "../../transcript/json/json.ts";
import { readOrigin } from "../../transcript/origin.ts";
import { isCallBlock, readCall } from "../../transcript/read.ts";
import { readSpeeches } from "../forms/speeches.ts";
import { toBlocks } from "../forms/blocks.ts";

/** What was said and done in a conversation, in order. */
export interface Account {
  /** What the user said. */
  readonly asked: readonly string[];
  /** The last words of the assistant in each turn. */
  readonly answered: readonly string[];
  /** What the user said last, where no words of the assistant follow. */
  readonly open: string | undefined;
  /** How often each tool was called, in the order of the first calls. */
  readonly calls: ReadonlyMap<string, number>;
  /** The errors of tools. */
  readonly failed: readonly { readonly tool: string; readonly words: string }[];
  /** Files that calls name. */
  readonly files: readonly string[];
}

/** Arguments of calls that name a file. */
const FILE_ARGUMENTS = ["path", "file_path", "filePath", "file", "filename"] as const;

/** Reads the account of these messages. Notices of this project and thinking are not in it. Deterministic. */
export function readAccount(messages: readonly unknown[]): Account {
  const asked: string[] = [];
  const answered: string[] = [];
  const calls = new Map<string, number>();
  const failed: { tool: string; words: string }[] = [];
  const files = new Set<string>();
  let answer: string | undefined;
  const endTurn = (): void => {
    if (answer !== undefined) answered.push(answer);
    answer = undefined;
  };
  let isOpen = false;
  for (const message of messages) {
    if (!isObject(message) || readOrigin(message).notice !== undefined) continue;
    for (const line of readSpeeches(message)) {
      if ("media" in line) continue;
      const { speaker, tool = "", words } = line;
      if (speaker === "user") {
        endTurn();
        asked.push(words);
        isOpen = true;
      } else if (speaker === "assistant") {
        answer = words;
        isOpen = false;
      } else if (speaker === "call") calls.set(tool, (calls.get(tool) ?? 0) + 1);
      else if (speaker === "error") failed.push({ tool, words });
    }
    for (const block of toBlocks(message)) if (isCallBlock(block)) addFile(files, readCall(block).arguments);
  }
  endTurn();
  return { asked, answered, open: isOpen ? asked.at(-1) : undefined, calls, failed, files: [...files] };
}

function addFile(files: Set<string>, given: unknown): void {
  if (!isObject(given)) return;
  for (const name of FILE_ARGUMENTS) {
    const file = given[name];
    if (typeof file === "string" && file !== "") files.add(file);
  }
}
