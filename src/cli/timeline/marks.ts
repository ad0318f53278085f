/** `openclaw-integrity timeline mark` and `unmark`: the names that people give to places. */
import { timeTravelError } from "../../timetravel/errors.ts";
import { withTimeline, type TimelineOptions } from "./place.ts";

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
    const hash = hashes.hash(nodeId)!;
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
