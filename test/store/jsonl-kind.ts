import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { JsonlSession } from "../../src/integrity/sessions/jsonl.ts";
import type { MessageFormat, Session } from "../../src/integrity/index.ts";
import type { SessionKind } from "../integrity/kind.ts";

interface Row {
  readonly id: string;
  readonly type: string;
  readonly message?: unknown;
}

/** Sessions in JSONL files. */
export function jsonlKind(format: MessageFormat): SessionKind {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "integrity-jsonl-")));
  let serial = 0;
  return {
    name: `JSONL file, ${format}`,
    format,
    open: async (messages) => {
      const session = JsonlSession.create(join(folder, `${++serial}`, "session.jsonl"), {
        format,
        id: `session-${serial}`,
      });
      await session.append(messages);
      return session;
    },
    reopen: async (session) => new JsonlSession(sessionFile(session), { format, id: session.id }),
    everything: async (session) =>
      readRows(sessionFile(session))
        .filter(({ type }) => type === "message")
        .map(({ message }) => message),
    archived: async (archive) => {
      const copy = join(folder, `${++serial}.jsonl`);
      cpSync(archive, copy);
      return new JsonlSession(copy, { format }).messages;
    },
    tamper: async (session, index) => {
      const id = session.entryIdAt(index);
      const message = { role: "assistant", content: [{ type: "text", text: "Something else" }] };
      const rows = readRows(sessionFile(session)).map((row) => (row.id === id ? { ...row, message } : row));
      writeFileSync(sessionFile(session), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    },
    image: (session) => {
      const copy = join(folder, `${++serial}`);
      cpSync(dirname(sessionFile(session)), copy, { recursive: true });
      return async () => new JsonlSession(join(copy, "session.jsonl"), { format, id: session.id });
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function sessionFile(session: Session): string {
  return (session as JsonlSession).path;
}

function readRows(file: string): Row[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}
