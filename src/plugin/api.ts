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
}

export interface PluginApi {
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
  readonly logger: PluginLogger;
  registerService(service: ServiceDefinition): void;
  registerCommand(command: CommandDefinition): void;
  registerContextEngine?(id: string, factory: () => unknown): void;
  on(hook: string, handler: (event: Readonly<Record<string, unknown>>, context: HookContext) => unknown): void;
}
