/**
 * The part of OpenClaw's plugin API that this plugin uses, as both generations have it (2026.2.3 and 2026.9.6). Written
 * down here because OpenClaw is no dependency, and because what a release lacks must be asked for: everything that only
 * some have is optional.
 */

export interface PluginLogger {
  debug?(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** Who has sent a command, and where. */
export interface CommandContext {
  /** That OpenClaw takes commands from the sender at all: on a channel everybody on its allowlists, owner or not. */
  readonly isAuthorizedSender: boolean;
  readonly channel: string;
  readonly args?: string;
  /** The channel's own id of the sender; for a client of the gateway what kind of client it says it is. */
  readonly senderId?: string;
  /**
   * Since 2026.5.5. To 2026.7 also true for who is on the channel's allowlist while no owner is configured, and for
   * everybody where "*" is.
   */
  readonly senderIsOwner?: boolean;
  /** In 2026.9.6, where OpenClaw takes the sender for an owner. Throws when the sender is none any more. */
  readonly assertOwnerCurrent?: () => void;
  /** Of clients of the gateway, since 2026.3.24; chat channels have none. */
  readonly gatewayClientScopes?: readonly string[];
  /** Since 2026.2.26: the chat in the channel's words, `telegram:123` or `telegram:group:-456`. */
  readonly from?: string;
  readonly to?: string;
  /** Since 2026.4.2. */
  readonly sessionKey?: string;
  readonly sessionId?: string;
  /** OpenClaw's configuration. */
  readonly config?: { readonly commands?: { readonly ownerAllowFrom?: unknown } };
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
  readonly execute: (
    callId: string,
    input: unknown,
  ) => Promise<{
    readonly content: readonly { readonly type: "text"; readonly text: string }[];
    readonly details: unknown;
  }>;
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
  registerTool(
    factory: (context: ToolContext) => readonly ToolDefinition[] | null,
    options: { readonly names: readonly string[] },
  ): void;
  registerContextEngine?(id: string, factory: () => unknown): void;
  on(hook: string, handler: (event: Readonly<Record<string, unknown>>, context: HookContext) => unknown): void;
}
