/** What runs already keeps what it has loaded, so a person is told what to run. */

/** Restarts the gateway, however it is started. */
export const RESTART = "openclaw gateway restart";

/** The lines for commands that a person has to run. */
export function nextCommands(commands: readonly string[]): readonly string[] {
  if (commands.length === 0) return [];
  return ["  a gateway that runs keeps what it has loaded. Run:", ...commands.map((command) => `    ${command}`)];
}
