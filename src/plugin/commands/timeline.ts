import { formatMinute } from "../../base/time.ts";
import { visible } from "../../doctor/printable.ts";
import { storeError } from "../../store/errors.ts";
import { type HashedAction, NOT_ACCEPTED, NOT_REACHED, type TimelineNode } from "../../timetravel/index.ts";
import type { Moves, Places } from "../remote/timeline-reads.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";
import type { Command, OwnersCommand } from "./command.ts";
import { assertNoPath, resolveConversation, type Named } from "./named.ts";
import { areShown, inlineCode, saidInline, type Words, wordsFor } from "./said.ts";

/** Number of places shown by default, and at most. */
const SHOWN = 10;
const MAX_SHOWN = 50;
const FIRST_WORDS = 80;

/** The prefix of a conversation's key, and the argument that asks for first words. */
const IN = "in:";
const WORDS = "words";

/**
 * `/timeline [n] [in:<session>] [words]`, `/timeline log [n]`, `/timeline fork <place> [label]`. Neither base release
 * has a command named `timeline` or `rewind`, and a plugin's command takes precedence over a skill's. A release that
 * has one refuses the registration; `openclaw-integrity timeline` does the same then. The answer contains words of
 * messages, so it depends on who reads it: see {@link wordsFor}.
 */
export const TIMELINE: Command = {
  name: "timeline",
  description:
    "Places that this conversation can go back to: /timeline [how many]; its moves: /timeline log; " +
    "a new conversation from a place: /timeline fork <place> [label]",
  acceptsArgs: true,
  async answer(monitor, command) {
    const all = (command.args ?? "").split(/\s+/).filter((word) => word !== "");
    const named = all.find((word) => word.startsWith(IN));
    const [first = String(SHOWN), ...rest] = all.filter((word) => word !== named && word !== WORDS);
    const conversation = await resolveConversation(monitor, command, named?.slice(IN.length));
    const asking = { monitor, conversation, words: wordsFor(conversation, command, all.includes(WORDS)) };
    const lines =
      first === "log"
        ? await logLines(asking, numberIn(rest, command))
        : first === "fork"
          ? await forkLines(asking, rest, command)
          : await placeLines(asking, numberIn([first, ...rest], command));
    return (lines ?? [notStored(conversation)]).join("\n");
  },
};

interface Asking {
  readonly monitor: SessionMonitor;
  readonly conversation: Named;
  readonly words: Words;
}

function numberIn([count = String(SHOWN), ...unknown]: readonly string[], { args }: OwnersCommand): number {
  if (/^[1-9]\d{0,5}$/.test(count) && unknown.length === 0) return Math.min(Number(count), MAX_SHOWN);
  throw storeError("session-missing", {
    expected: "/timeline, /timeline <how many places>, /timeline log or /timeline fork <place>",
    found: JSON.stringify(args),
    todo: "Nothing was done.",
  });
}

function notStored({ isOwn }: Named): string {
  return isOwn ? "Nothing is stored of this conversation yet." : "No conversation of that name is stored.";
}

async function placeLines({ monitor, conversation, words }: Asking, most: number): Promise<string[] | undefined> {
  const places = await monitor.options.scanWorker.call("places", { which: conversation.which, most });
  return places && drawPlaces(places, words);
}

/** The moves, the latest first. A note and a reason may quote the conversation, and are shown as words are. */
async function logLines({ monitor, conversation, words }: Asking, most: number): Promise<string[] | undefined> {
  const log = await monitor.options.scanWorker.call("moves", { which: conversation.which, most });
  return log && logText(log, words);
}

function logText({ moves, more }: Moves, words: Words): string[] {
  if (moves.length === 0) return ["There were no moves in this conversation."];
  return [
    "Moves in this conversation, the latest first:",
    ...moves.flatMap((move) => [
      moveLine(move),
      ...(words === "all" && move.note !== undefined ? [`> ${saidInline(move.note, FIRST_WORDS)}`] : []),
      ...(words === "all" && move.reason !== undefined && !isPlain(move.reason)
        ? [`> ${saidInline(move.reason, FIRST_WORDS)}`]
        : []),
    ]),
    ...(more > 0 ? [`and ${more} before these: /timeline log ${Math.min(MAX_SHOWN, moves.length + more)}`] : []),
  ];
}

function moveLine({ kind, from, to, carryoverId, by, time, reason }: HashedAction): string {
  const [place, goal, arrival] = [from, to, carryoverId].map((id) => (id === null ? "the beginning" : inlineCode(id)));
  const isMade = kind === "INCARNATE";
  const ending = isMade ? `, and went on with ${arrival}` : isPlain(reason) ? `: ${reason}` : "";
  return `${formatMinute(time)} UTC  the ${by} ${isMade ? "went" : "did not get"} from ${place} to ${goal}${ending}`;
}

/** Reasons that are the same for every move, and quote nothing. */
function isPlain(reason: string | undefined): reason is string {
  return reason === NOT_REACHED || reason === NOT_ACCEPTED;
}

/** Makes a new conversation from a place; this one stays as it is. */
async function forkLines(
  { monitor, conversation, words }: Asking,
  [place = "", ...label]: readonly string[],
  { args, audience }: OwnersCommand,
): Promise<string[]> {
  if (place === "")
    throw storeError("session-missing", {
      expected: "/timeline fork <place>, or /timeline fork <place> <label>",
      found: JSON.stringify(args),
      todo: "/timeline lists places. Nothing was done.",
    });
  assertNoPath(place);
  const { stateDirectory, root, writer, config } = monitor.options;
  const fork = await writer.call("fork", {
    which: conversation.which,
    place,
    withWords: words === "all",
    stateDirectory,
    root,
    continuity: config.continuity,
    ...(label.length > 0 && { label: label.join(" ") }),
  });
  return [
    `A new conversation begins with what was said up to ${inlineCode(place)} (${fork.messages} messages). This ` +
      "one stays as it is.",
    // A session key may contain a telephone number, and a label that nobody chose is made of one.
    audience === "private"
      ? `OpenClaw lists it as ${inlineCode(fork.label)}, with the key ${inlineCode(fork.sessionKey ?? "")}.`
      : `OpenClaw lists it in its Control UI; its session is ${inlineCode(fork.sessionId ?? "")}.`,
  ];
}

/** A place on one line; foreign words in it are quoted. */
function nodeText({ id, role, turns_back: back, first_words: first }: TimelineNode, words: Words): string {
  return [
    visible(id),
    role,
    ...(back === null ? [] : [back === 0 ? "this turn" : `${back} ${back === 1 ? "turn" : "turns"} back`]),
    ...(first !== "" && areShown(role, words) ? [saidInline(first, FIRST_WORDS)] : []),
  ].join("  ");
}

function drawPlaces({ head, nodes, more, branches, marks, problems }: Places, words: Words): string[] {
  const line = (node: TimelineNode): string =>
    [
      nodeText(node, words),
      ...(marks[node.id] ?? []).map(visible),
      ...(node.id === head ? ["<- the conversation continues here"] : []),
    ].join("  ");
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
      ? ["/rewind <id> shows what going back there would change; /rewind lists what was asked."]
      : []),
  ];
}
