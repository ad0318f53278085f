/**
 * The part of OpenClaw's plugin API that this plugin uses, as both generations have it (2026.2.3 and 2026.9.6). Written down here because
 * OpenClaw is no dependency, and because what a release lacks must be asked for: everything that only some have is optional.
 */

export interface PluginLogger {
  debug?(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** Who has sent a command, and where. */
export interface CommandContext {
  readonly isAuthorizedSender: boolean;
  readonly channel: string;
  readonly args?: string;
  /** Of clients of the gateway; chat channels have none. */
  readonly gatewayClientScopes?: readonly string[];
  readonly sessionKey?: string;
  readonly sessionId?: string;
}

export interface CommandDefinition {
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  readonly requireAuth: true;
  /** Unknown to 2026.2.3, which passes over it. */
  readonly requiredScopes: readonly string[];
  readonly handler: (context: CommandContext) => Promise<{ readonly text: string }>;
}

export interface ServiceDefinition {
  readonly id: string;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

/** What a hook is told about its run; which of these there are depends on hook and release. */
export interface HookContext {
  readonly sessionKey?: string;
  readonly runId?: string;
}

/** A tool as the model gets it. What `execute` throws the model is told as the tool's error. */
export interface ToolDefinition {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: object;
  /** Releases of 2026.6 and later hide a plugin's tools behind a search otherwise; earlier ones pass over it. */
  readonly catalogMode: "direct-only";
  readonly execute: (callId: string, input: unknown) => Promise<{ readonly content: readonly { readonly type: "text"; readonly text: string }[]; readonly details: unknown }>;
}

/** Whom tools are made for. */
export interface ToolContext {
  readonly sessionKey?: string;
}

export interface PluginApi {
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
  readonly logger: PluginLogger;
  /** Later releases have their own version here, 2026.2 says 1.0.0. */
  readonly runtime?: { readonly version?: string };
  registerService(service: ServiceDefinition): void;
  registerCommand(command: CommandDefinition): void;
  registerTool(factory: (context: ToolContext) => readonly ToolDefinition[] | null, options: { readonly names: readonly string[] }): void;
  registerContextEngine?(id: string, factory: () => unknown): void;
  on(hook: string, handler: (event: Readonly<Record<string, unknown>>, context: HookContext) => unknown): void;
}
