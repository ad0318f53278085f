/** The process that OpenClaw runs in. One request at a time; the driver starts it again when it dies or hangs. */
import { join } from "node:path";
import { embeddedRunnerPath, openEmbedded } from "./adapters/embedded.ts";
import { openCommand } from "./adapters/command.ts";
import { judgeTurn } from "./answer.ts";
import type { Opened, Reply, Request } from "./protocol.ts";
import type { Adapter, TurnResult, WorkerSetup } from "./types.ts";

let adapter: Promise<Adapter> | undefined;

/** Takes up OpenClaw in the way that the installed release offers. */
async function openAdapter(setup: WorkerSetup): Promise<Adapter> {
  const dist = join(setup.root, "node_modules", "openclaw", "dist");
  const runner = embeddedRunnerPath(dist);
  return runner ? await openEmbedded(dist, runner, setup) : await openCommand(dist, setup);
}

async function turn(used: Adapter, request: Extract<Request, { kind: "turn" }>): Promise<TurnResult> {
  const { session, message, timeoutMs } = request;
  const started = performance.now();
  const spent = (): number => Math.round(performance.now() - started);
  try {
    const before = await used.read(session);
    const raw = await used.send(session, message, timeoutMs, AbortSignal.timeout(timeoutMs));
    const ms = spent();
    return { ...judgeTurn(raw, before, await used.read(session)), ms };
  } catch (error) {
    return { answered: false, text: "", error: describe(error), ms: spent() };
  }
}

async function handle(request: Request): Promise<unknown> {
  if (request.kind === "open") {
    adapter = openAdapter(request.setup);
    const { name, apis } = await adapter;
    return { name, apis } satisfies Opened;
  }
  if (!adapter) throw new Error("The worker has not been opened");
  const used = await adapter;
  if (request.kind === "store") return used.store(request.session);
  if (request.kind === "read") return used.read(request.session);
  return turn(used, request);
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function answer(reply: Reply): void {
  process.send?.(reply);
}

process.on("message", (request: Request) => {
  handle(request).then(
    (value) => answer({ id: request.id, value }),
    (error: unknown) => answer({ id: request.id, error: describe(error) }),
  );
});
// OpenClaw's timers would keep the process alive after the driver is gone.
process.on("disconnect", () => process.exit(0));
