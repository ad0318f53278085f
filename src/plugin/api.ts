/**
 * The part of OpenClaw's plugin API that this plugin uses, for all supported releases (measured on 2026.2.3 and
 * 2026.9.6). Declared here because OpenClaw is no dependency. Members that some releases lack are optional.
 */

export interface PluginLogger {
  debug?(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** The sender of a command, and where it was sent. */
export interface CommandContext {
  /**
   * Whether OpenClaw accepts commands from the sender at all. On a channel this is true for everybody on its
   * allowlists, owner or not.
   */
  readonly isAuthorizedSender: boolean;
  readonly channel: string;
  readonly args?: string;
  /** The channel's own id of the sender. For a client of the gateway: the kind of client that it claims to be. */
  readonly senderId?: string;
  /**
   * Since 2026.5.5. Up to 2026.7 also true for everybody on the channel's allowlist while no owner is configured, and
   * for everybody where the list contains "*".
   */
  readonly senderIsOwner?: boolean;
  /** Since 2026.9.6, set when OpenClaw considers the sender an owner. Throws when the sender is no longer one. */
  readonly assertOwnerCurrent?: () => void;
  /** Scopes of a client of the gateway, since 2026.3.24; chat channels have none. */
  readonly gatewayClientScopes?: readonly string[];
  /** The chat by the channel's name for it, `telegram:123` or `telegram:group:-456`. Since 2026.2.26. */
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
  /** OpenClaw 2026.2.3 does not know this field and ignores it. */
  readonly requiredScopes: readonly string[];
  readonly handler: (context: CommandContext) => Promise<{ readonly text: string }>;
}

export interface ServiceDefinition {
  readonly id: string;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

/** What OpenClaw passes to a hook about its run. Which fields are set depends on hook and release. */
export interface HookContext {
  readonly sessionKey?: string;
  readonly runId?: string;
}

/** A tool for the model. An error thrown by `execute` is the tool's error result. */
export interface ToolDefinition {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: object;
  /**
   * Without this value, releases since 2026.6 offer a plugin's tools only through a search; earlier ones ignore the
   * field.
   */
  readonly catalogMode: "direct-only";
  readonly execute: (
    callId: string,
    input: unknown,
  ) => Promise<{
    readonly content: readonly { readonly type: "text"; readonly text: string }[];
    readonly details: unknown;
  }>;
}

/** The conversation that tools are created for. */
export interface ToolContext {
  readonly sessionKey?: string;
  /** The folder in which the agent works. */
  readonly workspaceDir?: string;
}

export interface PluginApi {
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
  readonly logger: PluginLogger;
  /** Later releases report their own version here, 2026.2 reports 1.0.0. */
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
