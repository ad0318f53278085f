import { type Line, toned } from "../base/terminal.ts";
import { INDEX_WORDS, RECORD_WORDS, VIOLATION_WORDS } from "../health/index.ts";
import type { HistoryProblem, ProviderFailure } from "../recovery/failure.ts";
import { isObject } from "../transcript/json/json.ts";
import { drawParts, firstWords, type BarePart } from "./drawing/draw-parts.ts";
import { printable, WHOLE } from "./printable.ts";
import { limitedWidth, stepLines, wrapped } from "./report.ts";
import type { Origin, Shown, Suspect } from "./why.ts";
import { conversationName, counted } from "./words.ts";

const WORDS = 60;

/** What each problem of a history is, for a person. */
const PROBLEMS: Readonly<Record<HistoryProblem, string>> = {
  tool_pairing: "a tool call without its result, a result without its call, or one of both in the wrong place",
  tool_id: "an id of a tool call, result or item: used twice, too long, empty, or of characters that are not allowed",
  tool_fields: "the name or the arguments of a tool call, or the content of its result",
  role_order: "the order of the roles: who speaks first, last, or twice in a row",
  empty_content: "a message or a part of one with nothing in it",
  thinking: "the model's thinking, or the signature that belongs to it",
  image: "a picture or document: too large, or of a form that is not taken",
  media: "pictures, which this model or server does not take",
  too_many_images: "more pictures or documents than one request may have",
  route: "something that this model or server does not take, whatever the history is",
  block_form: "a part or field of a form that the API does not accept",
  size: "its size",
  unspecified: "something in it that the error does not name",
};

const KINDS: Readonly<Record<Exclude<ProviderFailure["kind"], "history">, string>> = {
  content_filter: "A content filter of the provider, or the model itself, has stopped this. The history is valid.",
  overload: "The provider was too busy, or the connection failed: the same request may work later.",
  size: "The request is longer than the model takes. OpenClaw's /compact shortens it; the patch does so by itself.",
  access: "The key, the account, its limits, or the name of the model. The history has nothing to do with it.",
  unknown: "The request was refused in words that are not known. The history may be the reason.",
  other: "The error is not about the history, as far as its words tell.",
};

/** Formats what an error is about and where that is stored. Words of messages are shown only `withWords`. */
export function whyLines({ failure, own, suspects, others }: Origin, columns: number, withWords: boolean): Line[] {
  const width = limitedWidth(columns);
  const ofHistory =
    failure.kind === "history"
      ? `The provider refuses the history: ${PROBLEMS[failure.problem]}.`
      : KINDS[failure.kind];
  const what =
    own === undefined
      ? ofHistory
      : `OpenClaw itself refuses the session: ${own === "outdated_index" ? INDEX_WORDS[own] : RECORD_WORDS[own]}.`;
  const isOfHistory = own !== undefined || failure.kind === "history" || failure.kind === "unknown";
  return [
    ...toned(wrapped(what, width, ""), isOfHistory ? "bad" : undefined),
    ...(isOfHistory ? foundSentences(failure, suspects) : []).flatMap((sentence) => wrapped(sentence, width, "")),
    ...suspects.flatMap((suspect) => ["", ...suspectLines(suspect, width, withWords)]),
    ...(others > 0 ? ["", `${counted(others, "more session")} with faults`] : []),
  ];
}

function foundSentences(failure: ProviderFailure, suspects: readonly Suspect[]): string[] {
  if (suspects.some(({ by }) => by === "id")) return [];
  const [id] = failure.kind === "history" ? failure.ids : [];
  return [
    ...(id === undefined ? [] : [`No stored session has ${printable(id, WHOLE)} now.`]),
    suspects.length > 0
      ? "These have faults that a provider can refuse:"
      : "No stored session has faults now: this one was repaired, or its session was deleted.",
  ];
}

function suspectLines(suspect: Suspect, width: number, withWords: boolean): Line[] {
  const { session, by, messages, stored, sent, remedy, violations } = suspect;
  const how = by === "id" ? " has what the error names" : "";
  const id = printable(session.sessionId, WHOLE);
  const where = `${conversationName(session)} (agent ${printable(session.agentId, 40)}, session ${id})`;
  const lines = (shown: readonly Shown[], isStored: boolean): Line[] =>
    shown.flatMap((one) => {
      const isAtFault = isStored && violations.some(({ messageIndex }) => messageIndex === one.at);
      const line = shownLine(one, isStored ? violations : [], withWords);
      return toned(wrapped(line, width, "    "), isAtFault ? "bad" : undefined);
    });
  return [
    ...wrapped(`${where}${how}. Of its ${counted(messages, "message")}:`, width, ""),
    "  as stored:",
    ...lines(stored, true),
    ...(sent === undefined
      ? ["  a patched OpenClaw sends these as they are, in the form that the API takes"]
      : ["  as a patched OpenClaw sends it:", ...lines(sent, false)]),
    ...(remedy?.by === "repair"
      ? stepLines({ sentence: "  to repair what is stored:", command: remedy.command }, width)
      : []),
  ];
}

function shownLine({ at, message }: Shown, violations: Suspect["violations"], withWords: boolean): string {
  const role = isObject(message) && typeof message.role === "string" ? printable(message.role, 20) : "no role";
  const parts = isObject(message) ? drawParts(message).map(partWords) : [];
  const faults = new Set(
    violations.filter(({ messageIndex }) => messageIndex === at).map(({ kind }) => VIOLATION_WORDS[kind]),
  );
  const words = withWords && isObject(message) ? `: ${printable(firstWords(message, WORDS), WORDS)}` : "";
  const wrong = faults.size === 0 ? "" : `  <- ${[...faults].join("; ")}`;
  return `${at + 1} ${role}: ${parts.join(", ") || "nothing"}${words}${wrong}`;
}

function partWords({ kind, type, length, callId, tool }: BarePart): string {
  const id = callId === undefined ? "" : ` ${printable(callId, WHOLE)}`;
  if (kind === "call") return `call of ${printable(tool)}${id}`;
  if (kind === "result") return `result of ${printable(tool)}${id}`;
  return `${kind === "other" ? printable(type) : kind} (${length.toLocaleString("en")})`;
}
