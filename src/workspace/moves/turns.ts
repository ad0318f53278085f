/** How long files are worked on before the event loop runs other work of the gateway. */
const SLICE_MS = 10;

/** Gives out each of some things, with a turn of the event loop between where the work on them takes long. */
export async function* withTurns<Thing>(things: Iterable<Thing>): AsyncGenerator<Thing> {
  let since = performance.now();
  for (const thing of things) {
    if (performance.now() - since > SLICE_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    yield thing;
  }
}
