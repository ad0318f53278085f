import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const WRITER = fileURLToPath(new URL("writer.ts", import.meta.url));

/** Another process that uses the journal. */
export interface Writer {
  readonly process: ChildProcess;
  /** Lines that it has printed so far, each behind the call it tells of. */
  readonly lines: string[];
  /** Waits for a line that begins so. */
  said(start: string): Promise<string>;
  /** Waits for its end; throws with what it printed on standard error unless it ended well or by our kill. */
  ended(): Promise<void>;
}

/** Starts `writer.ts <what> <file> ...`. */
export function startWriter(what: string, file: string, ...args: readonly (string | number)[]): Writer {
  const child = spawn(process.execPath, ["--no-warnings", WRITER, what, file, ...args.map(String)], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines: string[] = [];
  let rest = "";
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (errors += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    child.emit("lines");
  });
  const closed = once(child, "close");
  return {
    process: child,
    lines,
    async said(start) {
      for (;;) {
        const found = lines.find((line) => line.startsWith(start));
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`the writer ended without saying ${start}: ${errors}`);
        await Promise.race([once(child, "lines"), closed]);
      }
    },
    async ended() {
      await closed;
      if (child.exitCode !== 0 && child.signalCode !== "SIGKILL")
        throw new Error(`the writer ended with ${child.exitCode ?? child.signalCode}: ${errors}`);
    },
  };
}
