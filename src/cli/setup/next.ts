/** What runs already keeps what it has loaded, so a person is told what to run. */
import { gatewaySteps, RESTART } from "../../doctor/index.ts";
import { gatewaysAtHand } from "../gateways.ts";

export { RESTART };

/** The lines for commands that a person has to run. */
export function nextCommands(commands: readonly string[]): readonly string[] {
  if (commands.length === 0) return [];
  return ["  a gateway that runs keeps what it has loaded. Run:", ...commands.map((command) => `    ${command}`)];
}

/**
 * The lines for each gateway that runs, and for what a person has to run: of `commands`, which the work of setup makes
 * due, a restart is due only where a gateway runs without the guard.
 */
export function gatewayLines(root: string, isPatched: boolean, commands: readonly string[]): readonly string[] {
  const gateways = gatewaysAtHand([{ root, isPatched }]);
  const isRestartDue = gateways?.some(({ guard }) => guard !== "patched" && guard !== "off") ?? true;
  const others = commands.filter((command) => command !== RESTART);
  const isAsked = isRestartDue && (gateways !== undefined || commands.length > others.length);
  return [
    ...gatewaySteps(gateways).map(({ sentence }) => `  ${sentence}`),
    ...nextCommands(others.length > 0 || !isAsked ? others : [RESTART]),
  ];
}
