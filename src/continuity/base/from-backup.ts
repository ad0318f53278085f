import { ownCommand } from "../../base/commands/own-command.ts";

/** Says how to go on from a backup, after a store was damaged. */
export function fromBackup(): string {
  return `Move the store away and restore a backup with \`${ownCommand("continuity restore")}\`.`;
}
