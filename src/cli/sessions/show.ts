import { sentenceLines } from "../../base/terminal.ts";
import {
  toConversation,
  ENTRY_WORDS,
  examineLoaded,
  INDEX_WORDS,
  isSound,
  RECORD_WORDS,
  skippedWords,
  describeState,
  VIOLATION_WORDS,
  type Examination,
} from "../../health/index.ts";
import {
  findSummaryOrFile,
  StoreError,
  type Catalog,
  type SessionSummary,
  type StoredRows,
} from "../../store/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import { plainText } from "../../transcript/json/text.ts";
import type { Violation } from "../../transcript/violations.ts";
import { conversationOfSession, toData, withCatalog } from "./catalog.ts";
import { formatTime } from "../../base/time.ts";
import { EXIT, runAsync, type OutputOptions } from "../run.ts";

interface ShowOptions extends OutputOptions {
  readonly agent?: string;
  readonly content?: boolean;
}

const WORDS_SHOWN = 80;

/** `openclaw-integrity sessions show` */
export async function showSessionCommand(which: string, options: ShowOptions): Promise<void> {
  await runAsync(options, () =>
    withCatalog((catalog) => {
      const session = findSummaryOrFile(catalog, which, options.agent);
      const stored = session.unread === undefined ? readRows(catalog, session) : session.unread;
      if (typeof stored === "string")
        return {
          data: { session: { ...toData(session), unread: stored } },
          lines: [describeSession(session), `not read: ${stored}`].flatMap((line) => sentenceLines(line)),
          // Sessions that OpenClaw has put away are left alone on purpose.
          exit: session.isPutAway === true ? EXIT.ok : EXIT.no,
        };
      const conversation = toConversation(stored, session);
      const examination = examineLoaded(stored, conversation);
      const faults = examination.violations.map((violation) => {
        const message = conversation.messages[violation.messageIndex];
        return { ...violation, ...describe(message), ...(options.content === true && { words: tellMessage(message) }) };
      });
      return {
        data: {
          session: toData(session),
          state: isSound(examination) ? "sound" : "faulty",
          ...examination,
          violations: faults,
        },
        lines: [describeSession(session), ...examinationLines(examination, faults)].flatMap((line) =>
          sentenceLines(line, "    "),
        ),
        exit: isSound(examination) ? EXIT.ok : EXIT.no,
      };
    }, options.agent),
  );
}

/** The rows of a session, or the reason why they cannot be read. */
function readRows(catalog: Catalog, session: SessionSummary): StoredRows | string {
  try {
    return catalog.read(session);
  } catch (error) {
    if (error instanceof StoreError && error.code === "store-unreadable") return error.message;
    throw error;
  }
}

type Fault = Violation & { readonly role: string; readonly tool?: string; readonly words?: string };

function describeSession(session: SessionSummary): string {
  const { sessionId, kind, place, updatedAt } = session;
  return (
    `session ${sessionId} ` +
    `(${conversationOfSession(session)}), ${kind === "file" ? "transcript" : "rows of"} ${place}, ` +
    `written ${formatTime(updatedAt)}`
  );
}

function examinationLines(examination: Examination, faults: readonly Fault[]): string[] {
  const { messages, entries, index, record, unreadable, torn } = examination;
  return [
    `${messages} ${messages === 1 ? "message" : "messages"} in the conversation: ${describeState(examination)}`,
    ...(record === undefined ? [] : [`  session: ${RECORD_WORDS[record]}`]),
    ...entries.map((kind) => `  rows: ${ENTRY_WORDS[kind]}`),
    ...(index === undefined ? [] : [`  index: ${INDEX_WORDS[index]}`]),
    ...faults.map(
      ({ messageIndex, role, tool, kind, id, words }) =>
        `  message ${messageIndex + 1}, ${role}${tool === undefined ? "" : ` of ${tool}`}: ${VIOLATION_WORDS[kind]}` +
        `${id === "" ? "" : ` (${id})`}${words === undefined ? "" : `: ${words}`}`,
    ),
    ...skippedWords({ unreadable, torn }).map((words) => `  ${words}`),
  ];
}

/** Returns role and tool name of a message, never its content. */
function describe(message: unknown): { readonly role: string; readonly tool?: string } {
  if (!isObject(message)) return { role: "not a message" };
  const { role, toolName } = message;
  return {
    role: typeof role === "string" ? role : "no role",
    ...(typeof toolName === "string" && { tool: toolName }),
  };
}

function tellMessage(message: unknown): string {
  const text = isObject(message) ? plainText(message.content) : "";
  return JSON.stringify(text.length > WORDS_SHOWN ? `${text.slice(0, WORDS_SHOWN)}…` : text);
}
