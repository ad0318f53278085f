/**
 * What the plugin's tests share: a state folder, and a monitor over it as the plugin makes it, with its real thread and
 * process.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../harness/temporary.ts";
import { readConfig } from "../../src/plugin/settings/config.ts";
import type { ScanWorker } from "../../src/plugin/remote/scan-worker.ts";
import { operatorNotifier } from "../../src/plugin/sessions/notify.ts";
import { SessionMonitor } from "../../src/plugin/sessions/session-monitor.ts";
import { makeLogger } from "../../src/plugin/log.ts";
import { childProcess, RemoteCalls, thread } from "../../src/plugin/remote/remote.ts";
import type { StoreWriter } from "../../src/plugin/remote/store-writer.ts";

/**
 * What people run. The sources would be compiled in each thread by Node's own WebAssembly, which several threads of
 * one process do not survive now and then: V8 ends such a process with SIGSEGV.
 */
const BUILT = new URL("../../dist/plugin/", import.meta.url);

/**
 * A state folder with one agent whose sessions are files, and an OpenClaw 2026.2.3 as far as the plugin looks at it.
 */
export class State {
  readonly directory = newFolder();
  readonly sessions = join(this.directory, "agents", "main", "sessions");
  readonly root = join(this.directory, "openclaw");
  /** Everything that was logged. */
  readonly lines: string[] = [];
  readonly #monitors: SessionMonitor[] = [];

  constructor() {
    mkdirSync(this.sessions, { recursive: true });
    mkdirSync(join(this.root, "dist"), { recursive: true });
    writeFileSync(join(this.root, "package.json"), JSON.stringify({ name: "openclaw", version: "2026.2.3" }));
  }

  /** Stores a session that its conversation, `agent:main:<id>`, goes on in; returns its file. */
  put(id: string, transcript: string): string {
    const index = join(this.sessions, "sessions.json");
    const known = readdirSync(this.sessions).includes("sessions.json")
      ? (JSON.parse(readFileSync(index, "utf8")) as object)
      : {};
    writeFileSync(index, JSON.stringify({ ...known, [`agent:main:${id}`]: { sessionId: id, updatedAt: 1 } }));
    const file = join(this.sessions, `${id}.jsonl`);
    writeFileSync(file, transcript);
    return file;
  }

  /** A monitor as a plugin that was just loaded has it. */
  monitor(config: Readonly<Record<string, unknown>> = {}): SessionMonitor {
    const write = (text: string): void => void this.lines.push(text);
    const read = readConfig({ logLevel: "debug", ...config }).config;
    const log = makeLogger({ debug: write, info: write, warn: write, error: write }, read.logLevel);
    const monitor = new SessionMonitor({
      stateDirectory: this.directory,
      root: this.root,
      config: read,
      log,
      notify: operatorNotifier(this.root, read, log),
      scanWorker: new RemoteCalls<ScanWorker>(() =>
        thread(new URL("worker.mjs", BUILT), { directory: this.directory }),
      ),
      writer: new RemoteCalls<StoreWriter>(() => childProcess(new URL("store-process.mjs", BUILT)), {
        idleMs: 2000,
      }),
    });
    this.#monitors.push(monitor);
    return monitor;
  }

  /** The incidents that were written, the oldest first. */
  incidents(): Record<string, unknown>[] {
    const folder = join(this.directory, "logs");
    return readdirSync(this.directory).includes("logs")
      ? readdirSync(folder)
          .toSorted()
          .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, unknown>)
      : [];
  }

  async remove(): Promise<void> {
    await Promise.all(this.#monitors.map((monitor) => monitor.stop()));
  }
}
