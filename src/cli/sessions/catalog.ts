/** What the commands on stored sessions share. */
import { assertState, openCatalog, stateDirectory, type Catalog, type SessionSummary } from "../../store/index.ts";

/**
 * Opens the stored sessions of the state directory for `work`, and closes them afterwards. Throws `state-missing`,
 * `agent-missing` or `store-unreadable`.
 */
export async function withCatalog<Value>(
  work: (catalog: Catalog, directory: string) => Value | Promise<Value>,
  agentId?: string,
): Promise<Value> {
  const directory = stateDirectory();
  assertState(directory, agentId);
  const catalog = openCatalog(directory);
  try {
    return await work(catalog, directory);
  } finally {
    catalog.close();
  }
}

/** Describes the conversation of a session. */
export function conversationOfSession({ sessionKey, isCurrent }: SessionSummary): string {
  if (sessionKey === undefined) return "no conversation uses it";
  return `${isCurrent ? "" : "earlier of "}${sessionKey}`;
}

/** Returns a session as JSON, without the watermark, which only scans use. */
export function toData({ watermark: _watermark, ...session }: SessionSummary): Omit<SessionSummary, "watermark"> {
  return session;
}
