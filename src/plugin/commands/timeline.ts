import { visible } from "../../doctor/printable.ts";
import { refusal } from "../../store/errors.ts";
import type { TimelineNode } from "../../timetravel/index.ts";
import type { CommandContext } from "../api.ts";
import type { Places } from "../examiner.ts";
import type { SessionKeeper } from "../keeper.ts";
import type { Command } from "./command.ts";

/** As many lines as a chat shows without much scrolling, and as many as somebody may ask for. */
const SHOWN = 10;
const MOST = 50;
const CONVERSATIONS_NAMED = 5;

/**
 * `/timeline [n] [in:<session>]`. Neither base release has a command of this name or of the other, and a plugin's stands before a skill's; a release that has
 * one refuses to register it, and then `openclaw-integrity timeline` does the same. It shows words: it is the operator's own chat that is listed.
 */
export const TIMELINE: Command = {
  name: "timeline",
  description: "Places that this conversation can go back to: /timeline [how many]",
  acceptsArgs: true,
  async answer(keeper, context) {
    const { first, rest, named } = argumentsOf(context);
    const count = first === "" ? String(SHOWN) : first;
    if (!/^[1-9]\d{0,5}$/.test(count) || rest !== "") throw refusal("session-missing", { expected: "/timeline, or /timeline <how many places>", found: JSON.stringify(context.args), todo: "Nothing was done." });
    const which = await conversationOf(keeper, context, named);
    const places = await keeper.options.examiner.call("places", { which, most: Math.min(Number(count), MOST) });
    if (places === undefined) return "Nothing is stored of this conversation yet.";
    return linesOf(places).join("\n");
  },
};

/** `/rewind <place> [in:<session>] [note]` */
export const REWIND: Command = {
  name: "rewind",
  description: "Take this conversation back to a place of it: /rewind <id | turn:-1 | checkpoint:.. | ref:.. | branch:.. | root> [note to the agent]",
  acceptsArgs: true,
  async answer(keeper, context) {
    const { first: place, rest: note, named } = argumentsOf(context);
    if (place === "") throw refusal("session-missing", { expected: "/rewind <place>: an id, turn:-1, checkpoint:<id>, ref:<name>, branch:<id> or root", found: "no place", todo: "/timeline shows them. Nothing was changed." });
    const which = await conversationOf(keeper, context, named);
    const { stateDirectory, root, writer } = keeper.options;
    const { action, messagesLeft, messagesBack, called, back, sessionKey, sessionId } = await writer.call("rewind", { which, place, stateDirectory, root, ...(note !== "" && { note }) });
    const conversation = `Conversation ${sessionKey ?? `of session ${sessionId}`}`;
    if (action === "already") return `${conversation} stands at ${place} already.`;
    return [
      `${conversation} goes on from ${place}.`,
      `Messages that are no longer part of it: ${messagesLeft} (they stay stored).`,
      ...(messagesBack > 0 ? [`Messages that are part of it again: ${messagesBack}.`] : []),
      ...(called === "" ? [] : [`Tool calls among them, which are not undone: ${called}.`]),
      ...(back === undefined ? [] : [`To take this back: /rewind ${back}`]),
    ].map(visible).join("\n");
  },
};

/** What was written behind the command: its first word, the conversation that was named with `in:` before or behind that, and the rest as it is. */
function argumentsOf({ args = "" }: CommandContext): { readonly first: string; readonly rest: string; readonly named: string | undefined } {
  const [, before, first = "", behind, rest = ""] = /^\s*(?:in:(\S+)\s*)?(\S*)\s*(?:in:(\S+)\s*)?(.*)$/s.exec(args) ?? [];
  return { first, rest: rest.trim(), named: behind ?? before };
}

/** The conversation that is meant. Releases of early 2026 do not tell a command which one it was sent in; then the only one is, or one that is named. */
async function conversationOf(keeper: SessionKeeper, { sessionId, sessionKey }: CommandContext, named: string | undefined): Promise<string> {
  const own = named ?? sessionId ?? sessionKey;
  if (own !== undefined) return own;
  const keys = await keeper.options.examiner.call("conversations", {});
  if (keys.length === 1) return keys[0]!;
  throw refusal("session-missing", {
    expected: "the conversation that is meant, as second word: in:<its key>", found: keys.length === 0 ? "none that is stored" : `${keys.length}: ${keys.slice(0, CONVERSATIONS_NAMED).join(", ")}${keys.length > CONVERSATIONS_NAMED ? ", …" : ""}`,
    todo: "This release of OpenClaw does not tell a command where it was sent. Nothing was changed.",
  });
}

function linesOf({ head, nodes, more, branches, marks, problems }: Places): string[] {
  const line = (node: TimelineNode): string => {
    const { id, role, turns_back: back, first_words: words } = node;
    const turn = back === null ? [] : [back === 0 ? "this turn" : `${back} ${back === 1 ? "turn" : "turns"} back`];
    return visible([id, role, ...turn, ...(words === "" ? [] : [`“${words}”`]), ...(marks[id] ?? []), ...(id === head ? ["<- it goes on here"] : [])].join("  "));
  };
  return [
    nodes.length === 0 ? "Nothing was said in this conversation yet." : "Places of this conversation, the youngest first:",
    ...nodes.map(line),
    ...(more > 0 ? [`and ${more} more: /timeline ${Math.min(MOST, nodes.length + more)}`] : []),
    ...(branches.length > 0 ? ["Ends of branches that were left:", ...branches.map(line)] : []),
    ...problems,
    ...(nodes.length + branches.length > 0 ? ["/rewind <id> lets the conversation go on from there; nothing is deleted."] : []),
  ];
}
