/** `openclaw-integrity timeline …`: the tree of a stored session, and the places in it that can be gone to. Issue 8, item 5. */
import { InvalidArgumentError, type Command } from "commander";
import { differenceOf, graphOf, historyOfRows, NodeHashes, resolveTarget, textOfNode, timeline, type History, type HistoryNode, type TimelineNode } from "../timetravel/index.ts";
import { timeOf } from "../base/time.ts";
import { findSummary } from "../store/index.ts";
import { withCatalog } from "./catalog.ts";
import { runAsync, type OutputOptions, type Outcome } from "./run.ts";
import { printable, visible } from "../doctor/printable.ts";

interface TimelineOptions extends OutputOptions {
  readonly agent?: string;
  readonly content?: boolean;
  readonly limit?: number;
}

const NODES_SHOWN = 30;

/** Adds the command `timeline` and those below it. */
export function addTimelineCommands(program: Command, withOutputOptions: (command: Command) => Command): void {
  const command = program.command("timeline").description("the tree of a stored session: show, graph, diff; changes nothing");
  const add = (name: string, description: string): Command =>
    withOutputOptions(command.command(name).description(description))
      .argument("<session>", "its id, the key of its conversation, or a transcript file (*.jsonl)")
      .option("--agent <id>", "only those of this agent")
      .option("--content", "also show first words");
  add("show", "list the places that the conversation could go on from, the youngest first, and the branches that were left")
    .option("--limit <n>", `how many of each, ${NODES_SHOWN} when left out`, wholeNumber)
    .action(showTimeline);
  add("graph", "draw the whole tree: the present path, and each branch that was left where it was left").action(graphTimeline);
  add("diff", "show where the ways to two places part, and what is on each: ids, turn:-n, branch:<id>, root").argument("<one>").argument("[other]", "the present end when left out").action(diffTimeline);
}

async function showTimeline(which: string, options: TimelineOptions): Promise<void> {
  await withHistory(which, options, (history) => {
    const { nodes, branches, more, head } = timeline(history, options.limit ?? NODES_SHOWN);
    const hashes = new NodeHashes(history);
    const data = (node: TimelineNode): object => ({ ...(options.content === true ? node : without(node)), hash: hashes.of(node.id) });
    return {
      data: { head, nodes: nodes.map(data), more, branches: branches.map(data) },
      lines: [
        nodes.length === 0 ? "nothing was said in this session yet" : "places on the present path, the youngest first:",
        ...nodes.map((node) => `  ${lineOf(node, options)}${node.id === head ? "  <- the conversation goes on here" : ""}`),
        ...(more > 0 ? [`  and ${more} more: --limit ${nodes.length + more}`] : []),
        ...(branches.length > 0 ? ["ends of branches that were left:", ...branches.map((node) => `  ${lineOf(node, options)}`)] : []),
      ],
    };
  });
}

async function graphTimeline(which: string, options: TimelineOptions): Promise<void> {
  await withHistory(which, options, (history) => {
    const lines = graphOf(history);
    return {
      data: { head: history.headId, lines: lines.map(({ node, ...line }) => ({ ...line, ...(node && { id: node.id, role: node.role }) })) },
      lines: lines.map(({ rail, node, passed, isHead, isTip }) => {
        if (!node) return `${rail}│ ${passed} ${passed === 1 ? "entry" : "entries"}`;
        return `${rail}${isHead ? "◆" : isTip ? "○" : "●"} ${nodeLine(node, options)}${isHead ? "  <- the conversation goes on here" : isTip ? "  (left)" : ""}`;
      }),
    };
  });
}

async function diffTimeline(which: string, one: string, other: string | undefined, options: TimelineOptions): Promise<void> {
  await withHistory(which, options, (history) => {
    const [left, right] = [resolveTarget(history, one).nodeId, other === undefined ? history.headId : resolveTarget(history, other).nodeId];
    const difference = differenceOf(history, left, right);
    const side = (title: string, nodes: readonly HistoryNode[]): string[] => [`${title}: ${nodes.length === 0 ? "nothing" : `${nodes.length} ${nodes.length === 1 ? "entry" : "entries"}`}`, ...nodes.map((node) => `  ${nodeLine(node, options)}`)];
    return {
      data: { common: difference.common?.id ?? null, one: difference.left.map(({ id }) => id), other: difference.right.map(({ id }) => id) },
      lines: [
        difference.common ? `in common up to ${nodeLine(difference.common, options)}` : "nothing in common",
        ...side(`only on the way to ${one}`, difference.left),
        ...side(`only on the way to ${other ?? "the present end"}`, difference.right),
      ].map(visible),
    };
  });
}

async function withHistory(which: string, options: TimelineOptions, work: (history: History) => Outcome): Promise<void> {
  await runAsync(options, () => withCatalog((catalog) => work(historyOfRows(catalog.read(findSummary(catalog, which, options.agent)).rows))));
}

function lineOf({ id, role, time, turns_back, first_words }: TimelineNode, { content }: TimelineOptions): string {
  const turn = turns_back === null ? "" : turns_back === 0 ? "this turn" : `${turns_back} ${turns_back === 1 ? "turn" : "turns"} back`;
  return visible([id, role.padEnd(10), time === null ? "" : timeOf(Date.parse(time)), turn, ...(content === true && first_words !== "" ? [first_words] : [])].filter((part) => part !== "").join("  "));
}

function nodeLine(node: HistoryNode, options: TimelineOptions): string {
  const { timestamp } = node.entry;
  return lineOf({ id: node.id, role: node.role, time: typeof timestamp === "string" ? timestamp : null, turns_back: null, first_words: options.content === true ? printable(textOfNode(node)) : "" }, options);
}

function without({ first_words: _words, ...node }: TimelineNode): Omit<TimelineNode, "first_words"> {
  return node;
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected a whole number from 1.");
}
