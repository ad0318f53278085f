import { RecentMap } from "../../base/recent-map.ts";

/** How long a message waits at most for the session of the one before it. */
const PATIENCE_MS = 2000;
const MAX_CONVERSATIONS = 512;

/** The messages of a conversation that OpenClaw works on. */
interface Conversation {
  /** How many there are. */
  count: number;
  /** One of the messages has the session. */
  isFound: boolean;
  /** Resolves when the message has its session for which OpenClaw looks for one, or makes one. */
  first: PromiseWithResolvers<void> | undefined;
}

const conversations = new RecentMap<string, Conversation>(MAX_CONVERSATIONS, () => ({
  count: 0,
  isFound: false,
  first: undefined,
}));

/**
 * Resolves when OpenClaw may look for the session of a message: none of the messages before it is about to make one,
 * which this message would not find, so that the conversation had two. OpenClaw keeps them in order itself from the
 * release on that has tickets. The function is to be called when OpenClaw is done with the message.
 */
export async function whenSessionIsFree(inbox: string): Promise<() => void> {
  const conversation = conversations.getOrMake(inbox);
  const until = performance.now() + PATIENCE_MS;
  conversation.count++;
  for (
    let left = PATIENCE_MS;
    conversation.first && !conversation.isFound && left > 0;
    left = until - performance.now()
  )
    await Promise.race([conversation.first.promise, new Promise((resolve) => setTimeout(resolve, left).unref())]);
  const own = Promise.withResolvers<void>();
  if (!conversation.isFound) conversation.first = own;
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    conversation.count--;
    if (conversation.count === 0) conversation.isFound = false;
    if (conversation.first !== own) return;
    conversation.first = undefined;
    own.resolve();
  };
}

/** Notes that one of the messages of the conversation has its session: the others find it, and may go on. */
export function noteSession(inbox: string): void {
  const conversation = conversations.getOrMake(inbox);
  if (conversation.count === 0) return;
  conversation.isFound = true;
  conversation.first?.resolve();
}
