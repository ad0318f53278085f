/** What the commands that look at stored sessions share. */
import { openCatalog, stateDirectory, type Catalog, type SessionSummary } from "../../store/index.ts";

/** Opens the stored sessions of the state directory for `work`, and closes them. */
export async function withCatalog<Value>(
  work: (catalog: Catalog, directory: string) => Value | Promise<Value>,
): Promise<Value> {
  const directory = stateDirectory();
  const catalog = openCatalog(directory);
  try {
    return await work(catalog, directory);
  } finally {
    catalog.close();
  }
}

/** The conversation that a session belongs to, in words. */
export function conversationOfSession({ sessionKey, isCurrent }: SessionSummary): string {
  if (sessionKey === undefined) return "no conversation goes on in it";
  return `${isCurrent ? "" : "earlier of "}${sessionKey}`;
}

/** A session as JSON; how it stood when it was scanned is the scan's own business. */
export function dataOf({ watermark: _watermark, ...session }: SessionSummary): Omit<SessionSummary, "watermark"> {
  return session;
}
