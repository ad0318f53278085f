import { visible } from "../../doctor/printable.ts";
import { storeError } from "../../store/errors.ts";
import type { TimelineNode } from "../../timetravel/index.ts";
import type { CommandContext } from "../api.ts";
import type { Places } from "../remote/scan-worker.ts";
import type { Command, OwnersCommand } from "./command.ts";
import { assertNoPath, conversationOf, type Named } from "./named.ts";

/** Number of places shown by default, and at most. */
const SHOWN = 10;
const MAX_SHOWN = 50;

/** The prefix of a conversation's key, and the argument that asks for first words. */
const IN = "in:";
const WORDS = "words";

/** Of which messages the first words are shown. */
type Words = "all" | "chat messages" | "none";

/**
 * `/timeline [n] [in:<session>] [words]`. Neither base release has a command named `timeline` or `rewind`, and a
 * plugin's command takes precedence over a skill's. A release that has one refuses the registration;
 * `openclaw-integrity timeline` does the same then. The answer contains words of messages, so it depends on who reads
 * it: see {@link wordsFor}.
 */
export const TIMELINE: Command = {
  name: "timeline",
  description: "Places that this conversation can go back to: /timeline [how many]",
  acceptsArgs: true,
  async answer(monitor, command) {
    const words = (command.args ?? "").split(/\s+/).filter((word) => word !== "");
    const named = words.find((word) => word.startsWith(IN));
    const [count = String(SHOWN), ...unknown] = words.filter((word) => word !== named && word !== WORDS);
    if (!/^[1-9]\d{0,5}$/.test(count) || unknown.length > 0)
      throw storeError("session-missing", {
        expected: "/timeline, or /timeline <how many places>",
        found: JSON.stringify(command.args),
        todo: "Nothing was done.",
      });
    const conversation = await conversationOf(monitor, command, named?.slice(IN.length));
    const places = await monitor.options.scanWorker.call("places", {
      which: conversation.which,
      most: Math.min(Number(count), MAX_SHOWN),
    });
    if (places === undefined)
      return conversation.isOwn
        ? "Nothing is stored of this conversation yet."
        : "No conversation of that name is stored.";
    return linesOf(places, wordsFor(conversation, command, words.includes(WORDS))).join("\n");
  },
};

/** `/rewind <place> [in:<session>] [note]` */
export const REWIND: Command = {
  name: "rewind",
  description:
    "Continue this conversation from an earlier place: " +
    "/rewind <id | turn:-1 | checkpoint:.. | ref:.. | branch:.. | root> [note to the agent]",
  acceptsArgs: true,
  async answer(monitor, command) {
    const { first: place, rest: note, named } = argumentsOf(command);
    if (place === "")
      throw storeError("session-missing", {
        expected: "/rewind <place>: an id, turn:-1, checkpoint:<id>, ref:<name>, branch:<id> or root",
        found: "no place",
        todo: "/timeline shows them. Nothing was changed.",
      });
    assertNoPath(place);
    const { which } = await conversationOf(monitor, command, named);
    const { stateDirectory, root, writer } = monitor.options;
    // A refusal quotes the words near the place.
    const withWords = command.audience === "private";
    const { action, messagesLeft, messagesBack, called, back, sessionKey, sessionId } = await writer.call("rewind", {
      which,
      place,
      withWords,
      stateDirectory,
      root,
      ...(note !== "" && { note }),
    });
    const conversation = withWords && sessionKey !== undefined ? `Conversation ${sessionKey}` : `Session ${sessionId}`;
    if (action === "already") return `${conversation} is at ${place} already.`;
    return [
      `${conversation} continues from ${place}.`,
      `Messages that are no longer part of it: ${messagesLeft} (they stay stored).`,
      ...(messagesBack > 0 ? [`Messages that are part of it again: ${messagesBack}.`] : []),
      ...(called === "" ? [] : [`Tool calls among them, which are not undone: ${called}.`]),
      ...(back === undefined ? [] : [`To undo this: /rewind ${back}`]),
    ]
      .map(visible)
      .join("\n");
  },
};

/**
 * Splits the arguments of a command: the first word, the conversation named with `in:` before or after it, and the rest
 * unchanged.
 */
function argumentsOf({ args = "" }: CommandContext): {
  readonly first: string;
  readonly rest: string;
  readonly named: string | undefined;
} {
  const before = nameAt(args);
  const { word: first, rest } = firstWord(before.rest);
  const behind = nameAt(rest);
  return { first, rest: behind.rest.trim(), named: behind.name ?? before.name };
}

/** Splits `in:<name>` off the beginning of a text. */
function nameAt(text: string): { readonly name: string | undefined; readonly rest: string } {
  const { word, rest } = firstWord(text);
  const name = word.startsWith("in:") ? word.slice("in:".length) : "";
  return name === "" ? { name: undefined, rest: text } : { name, rest };
}

function firstWord(text: string): { readonly word: string; readonly rest: string } {
  const trimmed = text.trimStart();
  const end = trimmed.search(/\s/);
  return end < 0 ? { word: trimmed, rest: "" } : { word: trimmed.slice(0, end), rest: trimmed.slice(end) };
}

/**
 * Decides whose words are shown. In a direct chat all are. Others who read the chat know what was said in it, but not
 * the results of tools. Where the readers are unknown, words are shown if the owner asks for them.
 */
function wordsFor({ isOwn }: Named, { audience }: OwnersCommand, areAskedFor: boolean): Words {
  if (audience === "private" || (audience === "unknown" && areAskedFor)) return "all";
  return isOwn ? "chat messages" : "none";
}

function linesOf({ head, nodes, more, branches, marks, problems }: Places, words: Words): string[] {
  const line = (node: TimelineNode): string => {
    const { id, role, turns_back: back, first_words: first } = node;
    const turn = back === null ? [] : [back === 0 ? "this turn" : `${back} ${back === 1 ? "turn" : "turns"} back`];
    const isShown =
      first !== "" && (words === "all" || (words === "chat messages" && (role === "user" || role === "assistant")));
    return visible(
      [
        id,
        role,
        ...turn,
        ...(isShown ? [`“${first}”`] : []),
        ...(marks[id] ?? []),
        ...(id === head ? ["<- the conversation continues here"] : []),
      ].join("  "),
    );
  };
  return [
    nodes.length === 0 ? "This conversation is empty." : "Places of this conversation, the youngest first:",
    ...nodes.map(line),
    ...(more > 0 ? [`and ${more} more: /timeline ${Math.min(MAX_SHOWN, nodes.length + more)}`] : []),
    ...(branches.length > 0 ? ["Ends of branches that were left:", ...branches.map(line)] : []),
    ...problems,
    ...(words === "none"
      ? [
          "First words are left out: OpenClaw does not report who reads this chat. " +
            "`/timeline words in:<key>` shows them anyway.",
        ]
      : []),
    ...(nodes.length + branches.length > 0
      ? ["/rewind <id> continues the conversation from there; nothing is deleted."]
      : []),
  ];
}
