/** What a carryover says about recorded work. The work itself is read by whoever knows where it is recorded. */
import { originOfResult } from "../../transcript/invented.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { idKey, isCallBlock, readCall, readResult } from "../../transcript/read.ts";
import { nodeBlocks, type History, type HistoryNode } from "../history.ts";
import { readArrival } from "../records.ts";
import type { Target } from "../target.ts";
import { ranSince } from "./left.ts";

/** A tool call of a history, or what an earlier move told of recorded work. */
export interface SeenCall {
  /** Undefined for what a move told. */
  readonly tool: string | undefined;
  readonly input: unknown;
  /** The details of the stored result, or what the move told; undefined where there is none. */
  readonly answer: unknown;
}

/** The calls of a history that a move divides, oldest first. */
export interface CallsAround {
  /** On the way to the target. */
  readonly kept: readonly SeenCall[];
  /** After the target, on every branch. */
  readonly left: readonly SeenCall[];
}

/** Recorded work at the moment of a move. */
export interface WorkAtMove {
  /** Parts of the carryover, each with a heading of its own; foreign words are quoted. */
  readonly sections: readonly string[];
  /** What is stored in the record of the move, and is the answer in {@link SeenCall} of a later move. */
  readonly told: JsonObject;
}

/** Reads recorded work at the moment of a move; never rejects. */
export type WorkReader = (calls: CallsAround) => Promise<WorkAtMove>;

/** Returns the calls around a target. */
export function callsAround(history: History, target: Target): CallsAround {
  return { kept: seenIn(history.path(target.nodeId)), left: seenIn(ranSince(history, target)) };
}

function seenIn(nodes: readonly HistoryNode[]): SeenCall[] {
  const seen: { tool: string | undefined; input: unknown; answer: unknown }[] = [];
  const open = new Map<string, (typeof seen)[number]>();
  for (const node of nodes) {
    const { role, entry } = node;
    const told = readArrival(entry)?.work;
    if (told) seen.push({ tool: undefined, input: undefined, answer: told });
    if (role === "assistant")
      for (const { id, name, arguments: input } of nodeBlocks(node).filter(isCallBlock).map(readCall)) {
        if (typeof name !== "string") continue;
        const call = { tool: name, input, answer: undefined };
        seen.push(call);
        open.set(idKey(id), call);
      }
    if (role === "toolResult" && isObject(entry.message) && originOfResult(entry.message) === "real") {
      const call = open.get(idKey(readResult(entry.message).id));
      if (call) call.answer = entry.message.details;
    }
  }
  return seen;
}
