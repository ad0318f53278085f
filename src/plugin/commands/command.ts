import { reasonOf } from "../../base/coded-error.ts";
import { visibleLines } from "../../base/visible.ts";
import type { CommandContext, CommandDefinition } from "../api.ts";
import type { SessionKeeper } from "../keeper.ts";

/** Clients of the gateway need it; owners of the gateway in a chat channel have it. */
const OPERATOR = "operator.admin";

/** What a command of the plugin does; its text is the reply. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  readonly answer: (keeper: SessionKeeper, context: CommandContext) => Promise<string>;
}

/**
 * The command as OpenClaw takes it. Nobody is answered who may not operate the gateway: OpenClaw asks for it, and since a release may ask for less,
 * it is asked for here once more. What fails is said to the operator in words. In no reply can a name that others chose act on the client that shows it.
 */
export function definitionOf({ answer, ...command }: Command, keeper: () => SessionKeeper): CommandDefinition {
  return {
    ...command,
    requireAuth: true,
    requiredScopes: [OPERATOR],
    handler: async (context) => {
      if (!mayOperate(context)) return { text: "This command is for operators of the gateway." };
      try {
        return { text: visibleLines(await answer(keeper(), context)) };
      } catch (error) {
        return { text: visibleLines(reasonOf(error)) };
      }
    },
  };
}

function mayOperate({ isAuthorizedSender, gatewayClientScopes }: CommandContext): boolean {
  return isAuthorizedSender && (gatewayClientScopes === undefined || gatewayClientScopes.includes(OPERATOR));
}
