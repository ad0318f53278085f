import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasSessionFiles } from "../../harness/gateway/config.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { asOperator, OWNER, OWNERS_ENTRY, say, settingsWithPeople } from "../../harness/gateway/people.ts";
import { replyText } from "../../harness/gateway/reply.ts";
import { makeHome } from "../../harness/openclaw/home.ts";
import { chooseModel, type ProviderConfig } from "../../harness/openclaw/models.ts";
import type { ModelApi } from "../../harness/openclaw/types.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { FORGOTTEN } from "../../src/guard/history/forgotten.ts";
import { openJournal } from "../../src/journal/index.ts";
import { makePlaces, type Places } from "../chaos/calls.ts";
import type { Abilities } from "./actions.ts";
import { WEAK_MODELS } from "./endpoint.ts";
import { SoakModel } from "./model.ts";
import type { Seen } from "./judge.ts";
import type { Said } from "./said.ts";
import { makeTag, tagsIn } from "./tags.ts";
import { Witness } from "./witness.ts";

/** Which OpenClaw is soaked. */
export interface Subject {
  release: string;
  variant: "stock" | "patched";
  /** Folder that contains `node_modules/openclaw`. */
  root: string;
}

const APIS: readonly { api: ModelApi; model?: string }[] = [
  { api: "anthropic-messages" },
  { api: "openai-completions" },
  { api: "openai-responses" },
  { api: "google-generative-ai" },
  { api: "google-generative-ai", model: "gemini-3-pro-preview" },
  ...WEAK_MODELS,
];
const PROVIDER_SECONDS = 25;
const SAMPLE_MS = 10_000;
const STARTS = 4;
const CONVERSATION = /^agent:main:(c\d+)$/;

/** What a gateway has used until a moment. */
export interface Sample {
  /** Seconds since the side was made. */
  s: number;
  bytes: number;
  /** Of all its processes until now. */
  cpuMs: number;
  /** Messages until now. */
  messages: number;
}

/** One of the twins: a gateway with its provider, and everything that was seen of it. */
export class Side {
  readonly subject: Subject;
  readonly gateway: Gateway;
  readonly model: SoakModel;
  readonly witness = new Witness();
  readonly said: Said[] = [];
  readonly places: Places;
  readonly able: Abilities;
  /** What the gateway has used, every ten seconds. */
  readonly samples: Sample[] = [];
  /** The ids that OpenClaw has given each conversation: another one is a reset, in the eyes of who writes there. */
  readonly sessions = new Map<string, Set<string>>();
  /** How the gateway has ended without having been killed. */
  readonly deaths: string[] = [];
  kills = 0;
  fills = 0;
  rewinds = 0;
  /** The messages that an operator has taken back, by their tags. */
  readonly takenBack = new Set<string>();
  readonly #home: string;
  readonly #provider: StrictProvider;
  readonly #began = performance.now();
  readonly #used = { before: 0, now: 0 };
  #isClosed = false;
  #isFull = false;
  #life = Promise.resolve();
  #sampler: NodeJS.Timeout | undefined;

  private constructor(
    subject: Subject,
    { home, gateway, provider }: { home: string; gateway: Gateway; provider: StrictProvider },
  ) {
    this.subject = subject;
    this.gateway = gateway;
    this.places = makePlaces(home);
    this.#home = home;
    this.#provider = provider;
    const nine = !hasSessionFiles(distFolder(subject));
    this.able = { modes: nine, givesUp: nine, models: APIS.length };
    this.model = new SoakModel(provider, this.places, (conversation, name) =>
      this.witness.isAnswered(conversation, name),
    );
    gateway.listen((event) => this.witness.take(event));
  }

  /** Starts a gateway on an empty state, with a provider of its own. */
  static async open(subject: Subject): Promise<Side> {
    const home = await makeHome(`soak-${subject.variant}-${subject.release}-`);
    // The patched one as its operator has it: with the plugin.
    const config = subject.variant === "patched" ? {} : null;
    const { settings, env } = settingsWithPeople(distFolder(subject), [OWNERS_ENTRY], config);
    const provider = await startProvider();
    const gateway = await openGateway({
      ...subject,
      home,
      providerUrl: provider.url,
      tools: ["read", "exec", "process", "sessions_spawn"],
      mayForget: true,
      scopes: ["operator.read", "operator.write", "operator.admin"],
      settings: { ...settings, ...makeSettings(subject, home, provider.url) },
      env: { ...env, LETTERBOX: join(home, "letters") },
    });
    const side = new Side(subject, { home, gateway, provider });
    await side.#start();
    side.#sampler = setInterval(() => {
      side.#sample();
      void side.#lookForResets();
    }, SAMPLE_MS);
    return side;
  }

  /** The model that conversations can be given, by number. */
  modelName(at: number): string {
    const { api, model } = APIS[at] ?? APIS[0]!;
    const chosen = chooseModel({ api, ...(model !== undefined && { model }) }, "");
    return `${chosen.provider}/${chosen.model}`;
  }

  /** Milliseconds since it was made. */
  now(): number {
    return Math.round(performance.now() - this.#began);
  }

  /**
   * Sends a message; its run, once the gateway has acknowledged it. On a channel nobody is told of that, so that it is
   * its run, or its place behind another one, that has come to an end by then.
   */
  async post(conversation: string, text: string, more: object): Promise<string> {
    const sessionKey = toSessionKey(conversation);
    if (!isOnChannel(conversation)) return this.gateway.post(sessionKey, text, more);
    const run = randomUUID();
    const content = await say(this.gateway, OWNER, text, sessionKey);
    this.witness.take({ event: "chat", payload: { runId: run, state: "final", message: { content } } });
    return run;
  }

  /** As an operator takes the last message back; stock has no command for it. */
  async rewind(conversation: string): Promise<void> {
    if (this.subject.variant === "stock") return;
    const key = toSessionKey(conversation);
    const asked = (await this.gateway.stored(key))
      .filter(({ message }) => (message as { role?: string } | undefined)?.role === "user")
      .map(({ message }) => tagsIn(JSON.stringify(message)).filter((tag) => tag.conversation === conversation))
      .findLast((tags) => tags.length > 0);
    // Done is what was shown before.
    await asOperator(this.gateway, key, `/rewind turn:-1 in:${key}`);
    const told = await asOperator(this.gateway, key, `/rewind turn:-1 yes in:${key}`);
    if (!told.includes("The conversation continues")) return;
    for (const { name } of asked ?? []) this.takenBack.add(makeTag(conversation, name));
    this.rewinds++;
  }

  /** Resolves when the gateway runs: at once, or when it has been started again. */
  async whenUp(): Promise<void> {
    await this.#life;
  }

  /** kill -9, or what a supervisor does (`SIGTERM`), and a start on the same state. */
  async kill(signal?: "SIGTERM"): Promise<void> {
    this.kills++;
    this.model.killAgents();
    this.#life = this.#life.then(async () => {
      this.#sample();
      await this.gateway.kill(signal);
      await sleep(500);
      await this.#start();
    });
    await this.#life;
  }

  /** For so long the gateway, and what it starts, can write into no file. */
  async fillDisk(ms: number): Promise<void> {
    this.fills++;
    this.#isFull = true;
    try {
      this.gateway.limitFiles(0);
      await sleep(ms);
      this.gateway.limitFiles(Infinity);
    } finally {
      this.#isFull = false;
    }
  }

  /** Waits until no request has come for so long. */
  async whenQuiet(ms: number): Promise<void> {
    for (let last = -1; last !== this.model.requests.length;) {
      last = this.model.requests.length;
      await sleep(ms);
    }
  }

  /** What a conversation shows to who looks at it. */
  async look(conversation: string): Promise<void> {
    for (const message of await this.gateway.history(toSessionKey(conversation)))
      if (message["role"] === "assistant") this.witness.show(replyText(message));
  }

  /** Everything that was seen until now. */
  seen(): Seen {
    return {
      said: this.said,
      requests: this.model.requests,
      closings: (run) => this.witness.closings(run),
      isAnswered: (conversation, name) => this.witness.isAnswered(conversation, name),
      isNamed: (conversation, name) => this.witness.isNamed(conversation, name),
      begun: begunIn(this.places.traces),
      forgotten: forgottenIn(this.gateway.stateDir),
      deaths: this.deaths,
      takenBack: this.takenBack,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sampler);
    await this.gateway.close();
    await this.#provider.close();
    await rm(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  #sample(): void {
    const used = this.gateway.usage();
    if (used === undefined) return;
    this.#used.now = used.cpuMs;
    const cpuMs = this.#used.before + used.cpuMs;
    this.samples.push({ s: Math.round(this.now() / 1000), bytes: used.bytes, cpuMs, messages: this.said.length });
  }

  async #lookForResets(): Promise<void> {
    // A gateway that is down, or was just killed, is asked again.
    const { sessions } = await this.gateway.request("sessions.list", {}).catch(() => ({ sessions: [] }));
    for (const { key, sessionId } of sessions as { key: string; sessionId?: string }[]) {
      const conversation = CONVERSATION.exec(key)?.[1];
      if (conversation === undefined || sessionId === undefined) continue;
      this.sessions.set(conversation, (this.sessions.get(conversation) ?? new Set()).add(sessionId));
    }
  }

  async #start(): Promise<void> {
    this.#used.before += this.#used.now;
    this.#used.now = 0;
    // On a starved machine OpenClaw gives its own start up; its supervisor starts it again.
    for (let left = STARTS; left > 0; left--)
      try {
        await this.gateway.start();
        break;
      } catch (error) {
        if (left === 1) throw error;
      }
    const { kills } = this;
    void this.gateway.whenEnded().then((how) => {
      if (kills !== this.kills || this.#isClosed) return;
      // OpenClaw ends itself when it cannot write, patched or not.
      if (!this.#isFull) this.deaths.push(how);
      this.#life = this.#life.then(() => this.#start());
    });
  }
}

/** Whether people write there over a channel, and not by a client of the gateway: in every third conversation. */
export function isOnChannel(conversation: string): boolean {
  return Number(/^c(\d+)/.exec(conversation)?.[1]) % 3 === 0;
}

/** OpenClaw's key of a conversation. */
export function toSessionKey(conversation: string): string {
  return `agent:main:${conversation}`;
}

/** What the guard has recorded of each conversation; nothing where it has no journal. */
function forgottenIn(stateDir: string): Seen["forgotten"] {
  const path = join(stateDir, "openclaw-integrity.sqlite");
  if (!existsSync(path)) return [];
  const journal = openJournal(path);
  try {
    return journal.incidents
      .list({ limit: 1000 })
      .filter(({ kind }) => kind === FORGOTTEN)
      .map(({ at, details }) => ({
        conversation: String(details["sessionKey"]).split(":").at(-1) ?? "",
        detail: `${JSON.stringify(details["messages"])} ${String(details["api"])} at ${new Date(at).toISOString()}`,
      }));
  } finally {
    journal.close();
  }
}

/** How often each command has begun, by call. */
function begunIn(traces: string): Map<string, number> {
  return new Map(
    readdirSync(traces).map((name) => [
      name.replace(/\.txt$/, ""),
      readFileSync(join(traces, name), "utf8")
        .split("\n")
        .filter((line) => line.startsWith("started")).length,
    ]),
  );
}

function distFolder({ root }: Subject): string {
  return join(root, "node_modules", "openclaw", "dist");
}

function makeSettings(subject: Subject, home: string, url: string): Record<string, object> {
  const files = hasSessionFiles(distFolder(subject));
  const providers: Record<string, ProviderConfig & { timeoutSeconds?: number }> = {};
  const names: string[] = [];
  for (const { api, model } of APIS) {
    const chosen = chooseModel({ api, thinking: true, ...(model !== undefined && { model }) }, url);
    names.push(`${chosen.provider}/${chosen.model}`);
    const models = [...(providers[chosen.provider]?.models ?? []), ...chosen.config.models];
    providers[chosen.provider] = {
      ...chosen.config,
      models,
      ...(!files && { timeoutSeconds: PROVIDER_SECONDS }),
    };
  }
  return {
    models: { providers },
    agents: {
      defaults: {
        workspace: join(home, "workspace"),
        skipBootstrap: true,
        model: { primary: names[0], fallbacks: names.slice(1, 4) },
        models: Object.fromEntries(names.map((name) => [name, {}])),
        ...(files ? {} : { utilityModel: "" }),
      },
    },
  };
}
