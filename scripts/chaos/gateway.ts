import { dirname } from "node:path";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { replyText } from "../../harness/gateway/reply.ts";
import { readStored } from "../recovery/kept.ts";
import { makePlaces, type Places } from "./calls.ts";
import type { Chat, Runner, Said, Seed } from "./runner.ts";

/** Which OpenClaw, and whom it asks. */
export interface GatewayRunnerOptions {
  /** Folder that contains `node_modules/openclaw`; it is never written to. */
  root: string;
  release: string;
  providerUrl: string;
}

const TURN_TIMEOUT_MS = 150_000;
// Its clients see no event of a tool: half a second behind the end of a command, OpenClaw has its result.
const MARGIN_MS = 500;
// 14 s after its start, and a machine that is busy.
const RESUMES_WITHIN_MS = 25_000;
const RELEASES_THAT_ABANDON = new Set(["2026.2.3"]);

/** OpenClaw's gateway, and a client of it. */
export async function openGatewayRunner({ root, release, providerUrl }: GatewayRunnerOptions): Promise<Runner> {
  const gateway = await openGateway({ root, release, providerUrl, tools: ["read", "exec"] });
  return new GatewayRunner(gateway, RELEASES_THAT_ABANDON.has(release) ? 0 : RESUMES_WITHIN_MS);
}

class GatewayRunner implements Runner {
  readonly mode = "gateway";
  readonly seesEvents = false;
  readonly marginMs = MARGIN_MS;
  readonly resumesWithinMs: number;
  readonly places: Places;
  readonly #gateway: Gateway;

  constructor(gateway: Gateway, resumesWithinMs: number) {
    this.#gateway = gateway;
    this.resumesWithinMs = resumesWithinMs;
    this.places = makePlaces(dirname(gateway.stateDir));
  }

  async start(chats: readonly Seed[]): Promise<void> {
    const begun = chats.filter(({ transcript }) => transcript !== "");
    await this.#gateway.seedAll(begun.map(({ chat, transcript }) => [chat.key, transcript]));
    await this.#gateway.start();
  }

  async send({ key }: Chat, message: string): Promise<Said> {
    const { finalText, error, agentTexts } = await this.#gateway.send(key, message, { timeoutMs: TURN_TIMEOUT_MS });
    // What came behind the closing event is there when the client loads the session again.
    const text = finalText || (agentTexts.length > 0 ? replyText((await this.#gateway.history(key)).at(-1)) : "");
    return { answered: error === undefined && text !== "", text, ...(error === undefined ? {} : { error }) };
  }

  /**
   * All conversations: a second OpenClaw that asked for one of them would get in the gateway's way, or find the state
   * locked.
   */
  async stored(): Promise<string> {
    return readStored(this.#gateway.stateDir).sessions;
  }

  async kill(): Promise<number> {
    const at = Date.now();
    await this.#gateway.kill();
    return at;
  }

  close(): Promise<void> {
    return this.#gateway.close();
  }
}
