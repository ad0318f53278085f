import { FIGURES, type Figure, type FigureName, type Proof } from "./proof.ts";

// Two runs of the same code differ by as much, on a machine with other work.
const COST_TOLERANCE = 1.3;
const RATE_TOLERANCE = 1.5;

/** A figure of a release. */
interface Named {
  release: string;
  name: FigureName;
  figure: Figure;
}

function listFigures({ figures }: Proof): Named[] {
  return Object.entries(figures).flatMap(([release, named]) =>
    (Object.keys(FIGURES) as FigureName[]).flatMap((name) => {
      const figure = named[name];
      return figure === undefined ? [] : [{ release, name, figure }];
    }),
  );
}

/** What is not as it must be: parts without figures, and figures that are not zero; one line each. */
export function listShortfalls(proof: Proof): string[] {
  return [
    ...proof.parts.flatMap(({ name, failed }) => (failed === undefined ? [] : [`${name}: ${failed}`])),
    ...listFigures(proof)
      .filter(({ name, figure }) => FIGURES[name] === "zero" && figure.patched > 0)
      .map(({ release, name, figure: { patched, of } }) => `${release}: ${name} ${formatCount(patched, of)}`),
  ];
}

/**
 * What is worse than in a former run, one line each with both figures: counts by their share, costs by their ratio to
 * stock's, which is the same on another machine. A figure that only one of them has is not compared.
 */
export function listRegressions(proof: Proof, former: Proof): string[] {
  return listFigures(proof).flatMap(({ release, name, figure }) => {
    const before = former.figures[release]?.[name];
    if (before === undefined) return [];
    const isWorse = FIGURES[name] === "zero" ? isMoreOften(figure, before) : isDearer(name, figure, before);
    return isWorse
      ? [`${release}: ${name}: ${formatFigure(figure)}; in ${former.commit}: ${formatFigure(before)}`]
      : [];
  });
}

function isMoreOften(now: Figure, before: Figure): boolean {
  return now.patched / (now.of ?? 1) > (before.patched / (before.of ?? 1)) * RATE_TOLERANCE;
}

function isDearer(name: FigureName, now: Figure, before: Figure): boolean {
  const [ratio, former] = [toRatio(now), toRatio(before)];
  return FIGURES[name] === "cost" && ratio !== undefined && former !== undefined && ratio > former * COST_TOLERANCE;
}

/** Patched beside stock, each by its share. One is added to counts, so that none beside none is the same. */
function toRatio({ stock, patched, of, stockOf }: Figure): number | undefined {
  if (stock === undefined) return undefined;
  if (of === undefined) return stock === 0 ? undefined : patched / stock;
  return (patched + 1) / (of + 1) / ((stock + 1) / ((stockOf ?? of) + 1));
}

function formatCount(count: number, of: number | undefined): string {
  return of === undefined ? String(count) : `${count} of ${of}`;
}

/** `patched 0 of 5, stock 3 of 5`. */
export function formatFigure({ stock, patched, of, stockOf }: Figure): string {
  const beside =
    stock === undefined ? "" : `, stock ${formatCount(stock, of === undefined ? undefined : (stockOf ?? of))}`;
  return `patched ${formatCount(patched, of)}${beside}`;
}
