import { listShortfalls } from "./compare.ts";
import { EVERYWHERE, FIGURES, type Figure, type FigureName, type Proof } from "./proof.ts";

/** The section of docs/proof.md: first what fell short, then the picture, then the figures that the picture has not. */
export function formatProof(proof: Proof): string {
  const { date, commit, node, command, seed, minutes, parts } = proof;
  const shortfalls = listShortfalls(proof);
  const first = shortfalls.length === 0 ? "Nothing fell short." : `Fell short: ${shortfalls.join("; ")}.`;
  const sizes = parts.map(({ name, size }) => `${name}: ${size}`).join("; ");
  return `${first}

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="images/proof-dark.svg">
  <img alt="Stock and patched side by side: what was lost, and what it cost" src="images/proof-light.svg">
</picture>

${formatFigures(proof)}

${date}, \`${command}\`, seed \`${seed}\`, ${commit}, Node ${node}, ${minutes} minutes. ${sizes}.`;
}

/** Each figure with a cell for each release that has it. */
function formatFigures({ figures }: Proof): string {
  const releases = Object.keys(figures).filter((release) => release !== EVERYWHERE);
  const told = (Object.keys(FIGURES) as FigureName[]).flatMap((name) => {
    const cells = [...releases, EVERYWHERE].flatMap((release) => {
      const figure = figures[release]?.[name];
      return figure === undefined ? [] : [formatCell(figure)];
    });
    return cells.length === 0 ? [] : [`${name} ${cells.join(", ")}`];
  });
  return `Patched/stock, on ${releases.join(", then ")}: ${told.join("; ")}.`;
}

function formatCell({ stock, patched }: Figure): string {
  return stock === undefined ? String(patched) : `${patched}/${stock}`;
}
