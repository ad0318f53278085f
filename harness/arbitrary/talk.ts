/** A stored session that is written entry by entry, with what OpenClaw 2026.9.6 stores beside each kind of message. */
import {
  CARRYOVER_TYPE,
  buildCarryover,
  toContent,
  History,
  intentDetails,
  type Target,
} from "../../src/timetravel/index.ts";
import type { JsonObject } from "../../src/transcript/json/json.ts";

const START = 1_770_000_000_000;

/** What a result that this project invents for an interrupted call is marked with. */
const INTERRUPTED = { openclawIntegrity: { result: "interrupted" } };

export class Talk {
  readonly entries: JsonObject[] = [];
  leaf: string | null = null;

  history(): History {
    return new History(this.entries, this.leaf);
  }

  /** Appends a message behind the leaf; its id. */
  message(role: string, content: unknown, more: object = {}): string {
    const time = START + this.entries.length * 1000;
    return this.append({ type: "message", message: { role, content, timestamp: time, ...more } });
  }

  append(entry: JsonObject): string {
    const id = `e${this.entries.length}`;
    this.entries.push({
      ...entry,
      id,
      parentId: this.leaf,
      timestamp: new Date(START + this.entries.length * 1000).toISOString(),
    });
    this.leaf = id;
    return id;
  }

  says(words: string, more: object = {}): string {
    return this.message("user", words, more);
  }

  /** A report of OpenClaw itself, as the one after a restart. */
  system(words = "[System] Your previous turn was interrupted by a gateway restart."): string {
    return this.says(words, {
      provenance: { kind: "internal_system", sourceTool: "main_session_restart_recovery" },
    });
  }

  /** A command and OpenClaw's answer to it. */
  command(words: string): string {
    const key = `key-${this.entries.length}`;
    this.says(words, { idempotencyKey: `${key}:user` });
    return this.message("assistant", [{ type: "text", text: `Places: ${words}` }], {
      provider: "openclaw",
      model: "gateway-injected",
      stopReason: "stop",
      idempotencyKey: key,
    });
  }

  answers(words: string): string {
    return this.message("assistant", [{ type: "text", text: words }], {
      stopReason: "stop",
      provider: "p",
      model: "m",
    });
  }

  /** One call and its result; `result` overrides the result's fields. */
  calls(name: string, input: JsonObject, result?: object): string {
    const callId = `call_${this.entries.length}`;
    this.message("assistant", [{ type: "toolCall", id: callId, name, arguments: input }], { stopReason: "toolUse" });
    return this.message("toolResult", [{ type: "text", text: "done" }], {
      toolCallId: callId,
      toolName: name,
      isError: false,
      details: {},
      ...result,
    });
  }

  /** A call that a kill has interrupted, and OpenClaw's report of the restart. */
  killed(name: string, input: JsonObject): string {
    this.calls(name, input, { isError: true, ...INTERRUPTED });
    return this.system();
  }

  /** A move of the agent, as the guard makes it; the text of its carryover. */
  moves(target: Target, note: string): string {
    const intentId = `intent-${this.entries.length}`;
    const asked = { intentId, targetId: target.nodeId, asked: target.asked };
    this.calls("tobe", { target: target.asked, carryover_message: note }, { details: intentDetails(asked) });
    const departureId = this.leaf;
    const carryover = buildCarryover(this.history(), target, note);
    this.leaf = target.nodeId;
    const { questionIds, openIds } = carryover;
    this.append({
      type: "custom_message",
      customType: CARRYOVER_TYPE,
      content: toContent(carryover),
      display: true,
      details: {
        intentId,
        departureId,
        targetId: target.nodeId,
        by: "agent",
        note,
        questionIds,
        openIds,
      },
    });
    return carryover.text;
  }
}
