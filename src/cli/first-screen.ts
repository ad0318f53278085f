/** What `openclaw-integrity --help` shows: at most 24 lines of at most 80 columns. */
export const FIRST_SCREEN = `A patch set for OpenClaw after which no stored history can make a conversation
unusable.

  openclaw-integrity
      what is wrong on this machine, and what to do next; changes no session
  openclaw-integrity setup
      patches OpenClaw, proves it and keeps it patched; shows first what it does
  openclaw-integrity status --global
      whether OpenClaw is patched, and what removed the patch
  openclaw-integrity sessions doctor
      what is wrong with stored conversations, and the command that mends each
  openclaw-integrity why "400 messages.3: unexpected tool_use_id"
      the stored message that an error in the log is about
  openclaw-integrity sessions repair agent:main:main --dry-run
      what a repair would change; without --dry-run it does
  openclaw-integrity timeline show agent:main:main
      a conversation's tree; \`timeline rewind\` goes back in it
  openclaw-integrity continuity status
      unfinished work that agents have recorded, and what needs a person

All commands, exit codes:  openclaw-integrity help --all
One command:               openclaw-integrity help <command>
`;
