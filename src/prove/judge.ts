/** Judges one session by what came back from OpenClaw and by what the provider was sent. */
import { quotedInline } from "../base/quoted.ts";
import type { ProviderRequest } from "./provider/server.ts";
import type { SessionProof } from "./report.ts";
import { findMarks, proofQuestion, type ProofSession } from "./sessions/sessions.ts";

/** What came back for each message, in the order in which they were sent. */
export function judge(
  session: ProofSession,
  replies: readonly string[],
  requests: readonly ProviderRequest[],
): SessionProof {
  const requestsByReply = replies.map((_, at) =>
    requests.filter(({ text }) => text.includes(proofQuestion(session, at + 1))),
  );
  // The request whose answer came back: OpenClaw also makes requests of its own, for a title for instance.
  const used = replies.map((reply, at) =>
    requestsByReply[at]!.find(({ answer }) => answer !== undefined && reply.includes(answer)),
  );
  const marks = findMarks(session);
  const lost = marks.filter((mark) => used.some((request) => request !== undefined && !request.text.includes(mark)));
  const answered = used.filter((request) => request !== undefined).length;
  const refusal = requestsByReply
    .findLast((_, at) => used[at] === undefined)
    ?.findLast((request) => request.refusal)?.refusal;
  const { id, fault, success } = session;
  const wrong = wrongIn(session, { replies, used, requestsByReply, lost, refusal });
  return {
    id,
    fault,
    passed: wrong === undefined,
    outcome: wrong ?? success,
    answered,
    messages: replies.length,
    lost,
    ...(refusal !== undefined && { refusal }),
  };
}

interface Seen {
  readonly replies: readonly string[];
  readonly used: readonly (ProviderRequest | undefined)[];
  readonly requestsByReply: readonly (readonly ProviderRequest[])[];
  readonly lost: readonly string[];
  readonly refusal: string | undefined;
}

const SHOWN_CHARACTERS = 300;

/** What is not as it should be; undefined when all is. */
function wrongIn(session: ProofSession, { replies, used, requestsByReply, lost, refusal }: Seen): string | undefined {
  const unanswered = used.indexOf(undefined);
  if (unanswered >= 0) {
    const count = used.filter((request) => request !== undefined).length;
    const [who, words] = refusal === undefined ? ["OpenClaw", replies[unanswered]!] : ["the provider", refusal];
    return `${count} of ${replies.length} messages answered; ${who} said: ${quotedInline(words, SHOWN_CHARACTERS)}`;
  }
  if (lost.length > 0) return `answered, but the provider was not sent ${lost.join(", ")}`;
  const { latest = [] } = session;
  if (latest.length > 0 && used.some((request) => !latest.some((words) => request!.text.includes(words))))
    return "answered, but the history was not sent: the conversation has forgotten it";
  const marks = findMarks(session);
  const displaced = used.find((request) => !isInOrder(request!.text, marks));
  if (session.inOrder && displaced !== undefined) return "answered, but its messages were sent in another order";
  const wasRefused = requestsByReply.flat().some((request) => request.refusal !== undefined);
  if (session.refused && !wasRefused) return "answered, but the provider was not sent what it refuses";
  return undefined;
}

function isInOrder(text: string, marks: readonly string[]): boolean {
  let at = -1;
  return marks.every((mark) => {
    at = text.indexOf(mark, at + 1);
    return at >= 0;
  });
}
