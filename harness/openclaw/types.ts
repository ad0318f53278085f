import type { ModelApi } from "../corpus/case.ts";
import type { TranscriptEntry } from "./transcript.ts";

export type { ModelApi } from "../corpus/case.ts";

/** What a session is and which model it talks to. */
export interface SessionInput {
  /** JSONL text, stored exactly as it is: the header may be missing, of version 1 or 2, and any JSON may be in it. */
  transcript: string;
  api: ModelApi;
  /** Model id; each API has a default one. */
  model?: string;
  /**
   * OpenClaw's id of the provider, when its rules for a provider matter (`mistral`, `openrouter`); each API has a
   * default.
   */
  provider?: string;
  /** `dmHistoryLimit` (user turns) of the channel that the session is a direct chat of. */
  historyLimit?: number;
  /** How long OpenClaw waits for a request of a compaction. */
  compactionSeconds?: number;
  /** Makes the model a reasoning model and asks for a low amount of thinking. */
  thinking?: boolean;
  /**
   * The tools offered to the model: `read` by default and for `true`, none for `false`, or OpenClaw's tool names. None
   * is not the default because a request with tool calls in its history and no tool list is itself invalid on some
   * APIs.
   */
  tools?: boolean | string[];
  /**
   * Names of tools that the caller offers besides, as clients of OpenClaw's HTTP API do. From 2026.2.26 to 2026.9.3
   * OpenClaw takes calls of tools that are not offered out of the history.
   */
  clientTools?: readonly string[];
  /** How long each turn may take; the driver's own limit by default. */
  turnTimeoutMs?: number;
  /** Tokens of the model's context window, 200,000 by default. */
  contextWindow?: number;
  /** What the model is declared to take, text and pictures by default. */
  input?: ("text" | "image")[];
}

/** A session and the messages that are sent to it, one after the other. */
export interface RunInput extends SessionInput {
  messages: string[];
}

/** What the user got for one message. */
export interface TurnResult {
  /** Whether the model's own words came back as the reply; an error text shown to the user is no answer. */
  answered: boolean;
  /** All the text shown to the user. */
  text: string;
  /** Why it was not answered, in OpenClaw's words. */
  error?: string;
  ms: number;
}

/** What became of a run. */
export interface RunResult {
  sessionId: string;
  sessionKey: string;
  turns: TurnResult[];
  /** Set when the transcript could not be stored, with the reason; there are no turns then. */
  error?: string;
  /**
   * Sends one more message to the session, e.g. after the provider has been scripted anew; with a `route` to another
   * model.
   */
  send(message: string, route?: Pick<SessionInput, "model" | "provider">): Promise<TurnResult>;
  /**
   * The entries that OpenClaw's store holds for this conversation now, in stored order; after a reset, those since
   * then.
   */
  readTranscript(): Promise<TranscriptEntry[]>;
}

/** What the worker process must know to take OpenClaw up. */
export interface WorkerSetup {
  /** Folder that contains `node_modules/openclaw`. */
  root: string;
  /** Folder of its own that the process may write to. */
  home: string;
  providerUrl: string;
  /** The built plugin is loaded with this configuration; without one it is not. */
  plugin?: object;
}

/** A session as the adapters know it. */
export interface Session extends SessionInput {
  id: string;
  key: string;
}

/** What an adapter says of one turn; `answered` is decided from it in one place for all releases. */
export interface RawTurn {
  payloads: { text?: string; isError?: boolean }[];
  error?: string;
}

/** One generation of OpenClaw, driven in-process. */
export interface Adapter {
  /** How the release is driven, in a few words. */
  name: string;
  /** The APIs that this installation can talk. */
  apis: readonly ModelApi[];
  /** Stores the transcript as the session's history. */
  store(session: Session): Promise<void>;
  /** Sends one message of a user; must end soon after the signal fires. */
  send(session: Session, message: string, timeoutMs: number, signal: AbortSignal): Promise<RawTurn>;
  /** The stored entries of the session. */
  read(session: Session): Promise<TranscriptEntry[]>;
}
