/**
 * `openclaw-integrity timeline …`: the tree of a stored session, and the places in it to which a conversation can move.
 */
import { InvalidArgumentError, Option, type Command } from "commander";
import { columns } from "../../base/terminal.ts";
import { TOOL_PREFIX } from "../../continuity-tools/project-name.ts";
import { toShortIds, timeline, type TimelineNode } from "../../timetravel/index.ts";
import { collectLabels, markWords, withoutAutomatic } from "../../timetravel/view/marks.ts";
import { fitted } from "../../doctor/printable.ts";
import { filesTimeline } from "./files.ts";
import { forkCommand } from "./fork.ts";
import { graphTimeline, LINES_SHOWN } from "./graph.ts";
import { logTimeline, reindexTimeline } from "./log.ts";
import { formatCells, COLUMNS, placeColumns, table, withTimeline, type TimelineOptions } from "./place.ts";
import { markPlace, unmarkPlace } from "./marks.ts";
import { rewindCommand } from "./rewind.ts";

const NODES_SHOWN = 30;

/** Adds the command `timeline` and its subcommands. */
export function addTimelineCommands(
  program: Command,
  {
    withCommonOptions,
    withOutputOptions,
  }: Record<"withCommonOptions" | "withOutputOptions", (command: Command) => Command>,
): void {
  const command = program
    .command("timeline")
    .description("the tree of a stored session: show, graph, log, mark, unmark, rewind, fork, files, reindex");
  const add = (name: string, description: string, withOptions = withOutputOptions): Command =>
    withOptions(command.command(name).description(description))
      .argument("<session>", "its id, the key of its conversation, or a transcript file (*.jsonl)")
      .option("--agent <id>", "only sessions of this agent");
  withWords(
    add(
      "show",
      "list the places from which the conversation can continue, the youngest first, and the branches that were left",
    ),
  )
    .option("--limit <n>", `how many of each, ${NODES_SHOWN} by default`, wholeNumber)
    .option("--all", "also show the checkpoints that were made automatically")
    .action(showTimeline);
  withWords(
    add(
      "graph",
      "draw the tree, the youngest first: the present path, and each branch above the place where it was left",
    ),
  )
    .option("--limit <n>", `how many lines, ${LINES_SHOWN} by default`, wholeNumber)
    .option("--all", "draw all lines, all branches, and the checkpoints that were made automatically")
    .action(graphTimeline);
  withWords(add("log", "list the moves through the tree: each departure and its result")).action(logTimeline);
  add("mark", "give a place a name, or move a name to it")
    .argument("<name>")
    .argument("[place]", "the present end by default")
    .action(markPlace);
  add("unmark", "remove a name").argument("<name>").action(unmarkPlace);
  add(
    "rewind",
    "continue the conversation from one of its places; nothing is deleted, repeating it is a no-op",
    withCommonOptions,
  )
    .argument("[place]", "an id or its beginning, a name, turn:-n or root")
    .option("--undo", "take the last move back, with the files that it brought back")
    .addOption(
      new Option(
        "--files <what>",
        "restore: the files that the agent changed since come back too; keep: they stay as they are (default)",
      ).choices(["restore", "keep"]),
    )
    .addOption(
      new Option("--theirs", "keep what someone else wrote into those files since, where that is a conflict").conflicts(
        "ours",
      ),
    )
    .option("--ours", "take the earlier version of such files")
    .option("--note <text>", "a note to the agent")
    .option("--dry-run", "show what would be changed, and change nothing")
    .option("--yes", "do not ask; without a terminal nothing is asked")
    .option(
      "--session-key <key>",
      "the conversation to continue in the session, when the session has none any more (up to 2026.7)",
    )
    .option("--force", "also while OpenClaw reports a run in the session (2026.8 and later)")
    .action(rewindCommand);
  add("fork", "make a new conversation from what was said up to a place; this session is only read", withCommonOptions)
    .argument("<place>", "an id or its beginning, a name, or turn:-n")
    .option("--label <text>", "the name under which OpenClaw lists it, of at most 60 characters")
    .option("--note <text>", "a note to its agent")
    .option("--dry-run", "show what would be changed, and change nothing")
    .option("--force", "also while OpenClaw reports a run in the session (2026.8 and later)")
    .action(forkCommand);
  withOutputOptions(
    command.command("files").description("list the workspaces of which files are kept for moves, and how much that is"),
  )
    .option("--tidy", "settle moves that a kill has cut off, forget what is old or too much, and pack the rest")
    .action(filesTimeline);
  withOutputOptions(
    command
      .command("reindex")
      .description("delete the stored hashes and the log, and rebuild those of a session; names are kept"),
  )
    .argument("[session]", "only this session, and rebuild its index; all sessions by default")
    .option("--agent <id>", "only sessions of this agent")
    .action(reindexTimeline);
}

function withWords(command: Command): Command {
  return command.option("--content", "also show the first words of messages");
}

interface ShowOptions extends TimelineOptions {
  readonly limit?: number;
  readonly all?: boolean;
}

async function showTimeline(which: string, options: ShowOptions): Promise<void> {
  await withTimeline(which, options, "keep", (stored) => {
    const { nodes, branches, more, head } = timeline(stored.history, { most: options.limit ?? NODES_SHOWN });
    const marks = collectLabels(options.all === true ? stored : withoutAutomatic(stored), TOOL_PREFIX);
    const ids = toShortIds(stored.history);
    const short = (id: string): string => ids.shorten(id);
    const data = (node: TimelineNode): object => ({
      ...(options.content === true ? node : without(node)),
      hash: stored.hashes.hash(node.id),
      ...marks.get(node.id),
    });
    const cells = (node: TimelineNode): string[] => [
      ...formatCells({ ...node, id: short(node.id) }, options),
      [
        ...(node.id === head ? ["<- continues here"] : []),
        ...(marks.has(node.id) ? markWords(marks.get(node.id)!, short) : []),
      ].join("  "),
    ];
    const [heading, ...rows] = table([...placeColumns(options), ""], [...nodes, ...branches].map(cells));
    const indented = rows.map((row) => fitted(`  ${row}`, columns() ?? COLUMNS).trimEnd());
    return {
      data: {
        head,
        nodes: nodes.map(data),
        more,
        branches: branches.map(data),
        marks: stored.references.map(({ name, nodeId }) => ({ name, node: nodeId ?? null })),
      },
      lines: [
        ...(nodes.length === 0
          ? ["this session is empty"]
          : ["places on the present path, the youngest first, times in UTC:", `  ${heading}`]),
        ...indented.slice(0, nodes.length),
        ...(more > 0 ? [`  and ${more} more: --limit ${nodes.length + more}`] : []),
        ...(branches.length > 0 ? ["ends of branches that were left:", ...indented.slice(nodes.length)] : []),
        ...(stored.references.length > 0 ? ["marks:"] : []),
        ...stored.references.map(
          ({ name, nodeId }) =>
            `  ${name}  ` +
            (nodeId === undefined
              ? "its place is not in this session, or has changed since it was named"
              : short(nodeId)),
        ),
      ],
    };
  });
}

function without({ first_words: _words, ...node }: TimelineNode): Omit<TimelineNode, "first_words"> {
  return node;
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A whole number from 1 to 999999 is needed.");
}
