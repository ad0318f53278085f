/** What runs already keeps what it has loaded, so a person is told what to run. */
import { type Line, Toned } from "../../base/terminal.ts";
import { gatewaySentences, isGuarded, RESTART } from "../../doctor/index.ts";
import { gatewaysAtHand } from "../gateways.ts";

const AGAIN = "End it and start it again, or for a service:";

/** The lines for commands that a person has to run. */
export function nextCommands(commands: readonly string[]): readonly Line[] {
  if (commands.length === 0) return [];
  // What a service needs has a command of its own.
  const isRestart = commands.every((command) => command === RESTART);
  return [
    new Toned(`  a gateway that runs keeps what it has loaded. ${isRestart ? AGAIN : "Run:"}`, "todo"),
    ...commands.map((command) => `    ${command}`),
  ];
}

/**
 * The lines for each gateway that runs, and for what a person has to run: of `commands`, which the work of setup makes
 * due, a restart is due only where a gateway runs without the guard.
 */
export function gatewayLines(root: string, isPatched: boolean, commands: readonly string[]): readonly Line[] {
  const gateways = gatewaysAtHand([{ root, isPatched }]);
  const isRestartDue = gateways?.some((one) => !isGuarded(one) && one.guard !== "off") ?? true;
  const others = commands.filter((command) => command !== RESTART);
  const isAsked = isRestartDue && (gateways !== undefined || commands.length > others.length);
  return [
    ...gatewaySentences(gateways).map(({ text, tone }) => new Toned(`  ${text}`, tone)),
    ...nextCommands(others.length > 0 || !isAsked ? others : [RESTART]),
  ];
}
