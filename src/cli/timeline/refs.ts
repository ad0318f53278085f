import { timeOf } from "../../base/time.ts";
import { timeTravelError } from "../../timetravel/errors.ts";
import { isClosed } from "../../timetravel/index.ts";
import { headOf, nodeCells, table, withTimeline, type TimelineOptions } from "./place.ts";

/** `openclaw-integrity timeline refs <session>` */
export async function refsTimeline(which: string, options: TimelineOptions): Promise<void> {
  await withTimeline(which, options, "look", ({ history, references, actions }) => {
    const head = history.headId;
    const departed = new Set(
      actions.flatMap(({ kind, from }) => (kind === "INCARNATE" && from !== null ? [from] : [])),
    );
    const branches = history
      .tips()
      .filter(({ id }) => id !== head)
      .toReversed();
    const cells = (name: string, id: string, note = ""): string[] => [
      name,
      ...nodeCells(history.node(id)!, options),
      note,
    ];
    const rows = [
      ...(head === null ? [] : [cells("head", head)]),
      ...references.map(({ name, nodeId, createdAt }) =>
        nodeId === undefined
          ? [
              name,
              ...headOf(options).map(() => ""),
              `its place is not in this session, or has changed since it was named (${timeOf(createdAt)})`,
            ]
          : cells(name, nodeId),
      ),
      ...branches.map((node) =>
        cells(
          "end",
          node.id,
          departed.has(node.id)
            ? "[departure]"
            : isClosed(history, node)
              ? ""
              : "(a call has no result: no move can go there)",
        ),
      ),
    ];
    return {
      data: {
        head,
        refs: references.map(({ name, nodeId, hash, createdAt }) => ({ name, node: nodeId ?? null, hash, createdAt })),
        branches: branches.map(({ id }) => ({ node: id, isDeparture: departed.has(id) })),
      },
      lines: [
        ...(head === null ? ["this session is empty"] : []),
        ...(rows.length === 0 ? [] : table(["name", ...headOf(options), ""], rows)),
      ],
    };
  });
}

/** `openclaw-integrity timeline mark <session> <name> [place]` */
export async function markPlace(
  which: string,
  name: string,
  place: string | undefined,
  options: TimelineOptions,
): Promise<void> {
  await withTimeline(which, options, "keep", ({ session, history, hashes, index, resolve }) => {
    const asked = place ?? history.headId ?? "root";
    const { nodeId } = resolve(asked, options.content === true);
    if (nodeId === null)
      throw timeTravelError("bad-target", {
        expected: "an entry of this session",
        found: "the place before the first one",
        todo: "That place is always named root. Nothing was named.",
      });
    const hash = hashes.of(nodeId)!;
    index().references.set(session, name, { id: nodeId, hash });
    return { data: { name, node: nodeId, hash }, lines: [`${name} is ${nodeId}`] };
  });
}

/** `openclaw-integrity timeline unmark <session> <name>` */
export async function unmarkPlace(which: string, name: string, options: TimelineOptions): Promise<void> {
  await withTimeline(which, options, "keep", ({ session, references, index }) => {
    if (index().references.delete(session, name))
      return { data: { name }, lines: [`${name} was removed; its place stays`] };
    const names = references.map((one) => one.name);
    throw timeTravelError("no-such-reference", {
      expected: "the name of a place in this session",
      found: JSON.stringify(name.slice(0, 100)),
      todo:
        names.length === 0 ? "The session has no names." : `Names of the session: ${names.slice(0, 20).join(", ")}.`,
    });
  });
}
