import { keepsRows } from "../../store/index.ts";
import type { Calls } from "./remote.ts";
import type { ScanWorker } from "./scan-worker.ts";
import type { StoreWriter } from "./store-writer.ts";

/**
 * Up to this many characters a conversation is moved in the gateway itself. OpenClaw indexes up to as much at once, in
 * the transaction of a write; a longer one it would block for longer than a message of another conversation may wait.
 */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * The writer's methods, for commands of people. A rewind and a fork of rows are made in the gateway, which has
 * OpenClaw's session code loaded and admits the write like its own: another process needs seconds to load that code,
 * and takes the lock of OpenClaw's state, which stops the gateway. Other methods, long conversations and transcript
 * files are the writer process's.
 */
export class StoreCalls implements Calls<StoreWriter> {
  readonly #process: Calls<StoreWriter>;
  readonly #scanWorker: Calls<ScanWorker>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(process: Calls<StoreWriter>, scanWorker: Calls<ScanWorker>) {
    this.#process = process;
    this.#scanWorker = scanWorker;
  }

  readonly call: Calls<StoreWriter>["call"] = async (method, argument, onProgress) => {
    if (method !== "rewind" && method !== "fork") return this.#process.call(method, argument, onProgress);
    const given = argument as Parameters<StoreWriter["rewind"]>[0] & Parameters<StoreWriter["fork"]>[0];
    const isNear =
      keepsRows(given.root) && (await this.#scanWorker.call("weight", { which: given.which })) <= MOST_CHARACTERS;
    if (!isNear) return this.#process.call(method, argument, onProgress);
    const done = this.#last.then(async () => {
      const { StoreWriter: Writer } = await import("./store-writer.ts");
      const writer = new Writer();
      return method === "rewind" ? writer.rewind(given) : writer.fork(given);
    });
    this.#last = done.catch(() => undefined);
    return (await done) as never;
  };

  async stop(): Promise<void> {
    await Promise.all([this.#last, this.#process.stop()]);
  }
}
