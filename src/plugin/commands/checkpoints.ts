import { existsSync } from "node:fs";
import { formatTime } from "../../base/time.ts";
import { journalFile, openJournal } from "../../journal/index.ts";
import { countByTool } from "../../store/index.ts";
import { storeError } from "../../store/errors.ts";
import { checkpointReason } from "../../store/checkpoints/checkpoint-reason.ts";
import { NOT_IN_A_GROUP, type Command } from "./command.ts";
import { assertNoPath, isOwn, ownConversation } from "./named.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

const SHOWN = 15;

/** `/l0-checkpoints [session]` */
export const CHECKPOINTS: Command = {
  name: "l0-checkpoints",
  description: "Checkpoints that a conversation can be rolled back to: /l0-checkpoints [session id | all]",
  acceptsArgs: true,
  async answer(monitor, command) {
    const { args = "", audience } = command;
    const named = args.trim();
    assertNoPath(named);
    const which = named === "" ? ownConversation(command) : named;
    const all = which === undefined || which === "all";
    if (audience === "group" && (all || !isOwn(command, which))) return NOT_IN_A_GROUP;
    const file = journalFile(monitor.options.stateDirectory);
    if (!existsSync(file))
      return "No checkpoints yet: the core patch makes them, and without it this plugin after some tool calls.";
    const journal = openJournal(file, { readOnly: true, busyTimeoutMs: 1000 });
    try {
      const checkpoints = journal.checkpoints.list(all ? undefined : which).toReversed();
      if (checkpoints.length === 0)
        return `No checkpoints${all ? "" : ` of session ${which}; /l0-checkpoints all shows those of all sessions`}.`;
      return [
        ...checkpoints
          .slice(0, SHOWN)
          .map(
            ({ id, timestamp, operation, messageIndex, sessionId: of }) =>
              `${id}  ${formatTime(timestamp)}  ${checkpointReason({ operation })}, ${messageIndex} ` +
              `messages${all ? `, session ${of}` : ""}`,
          ),
        ...(checkpoints.length > SHOWN
          ? [`and ${checkpoints.length - SHOWN} older ones; \`${ownCommand("checkpoints list")}\` shows all`]
          : []),
        "/l0-rollback <id> rolls the conversation back; nothing is deleted.",
      ].join("\n");
    } finally {
      journal.close();
    }
  },
};

/** `/l0-rollback <id>` */
export const ROLLBACK: Command = {
  name: "l0-rollback",
  description: "Continue a conversation from a checkpoint: /l0-rollback <id>",
  acceptsArgs: true,
  async answer(monitor, { args = "", audience, sessionId: own }) {
    const id = args.trim();
    assertNoPath(id);
    if (id === "")
      throw storeError("checkpoint-missing", {
        expected: "/l0-rollback <id>",
        found: "no id",
        todo: "/l0-checkpoints shows them. Nothing was changed.",
      });
    const { stateDirectory, root, writer } = monitor.options;
    if (audience === "group" && own === undefined) return NOT_IN_A_GROUP;
    const asked = { checkpointId: id, stateDirectory, root, ...(audience === "group" && { of: own }) };
    const { action, messagesLeft, messagesBack, calls, kept, sessionKey, sessionId } = await writer.call(
      "rollBack",
      asked,
    );
    // A session key may contain a telephone number.
    const isKeyShown = audience === "private" && sessionKey !== undefined;
    const conversation = isKeyShown ? `Conversation ${sessionKey}` : `Session ${sessionId}`;
    if (action === "already") return `${conversation} is at checkpoint ${id} already.`;
    const acted = calls.filter(({ outcome }) => outcome !== "not-started");
    return [
      `${conversation} continues from checkpoint ${id}.`,
      `Messages that are no longer part of it: ${messagesLeft} (they stay stored).`,
      ...(messagesBack > 0 ? [`Messages that are part of it again: ${messagesBack}.`] : []),
      ...(acted.length > 0 ? [`Tool calls among them, which are not undone: ${countByTool(acted)}.`] : []),
      ...(kept === undefined ? [] : [`To undo this: /l0-rollback ${kept}`]),
    ].join("\n");
  },
};
