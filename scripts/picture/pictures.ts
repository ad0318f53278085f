import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chart } from "./chart.ts";
import { readGroups, readPeers } from "./figures.ts";
import { panes } from "./panes.ts";
import type { Proof } from "../proof/proof.ts";
import { proofChart } from "./proof-chart.ts";
import type { Recording } from "./recording.ts";
import { THEMES, type ThemeName } from "./svg.ts";

/** Where the pictures are, and what they are made from. */
export const IMAGES = "docs/images";
export const RECORDING = `${IMAGES}/incident.json`;
const PROOF = "results/proof.json";

/** The path of a file of the repository. */
export function repositoryFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

function read(path: string): string {
  return readFileSync(repositoryFile(path), "utf8");
}

/** Every picture, by its path in the repository, in both sets of colours, wide and for a phone. */
export function pictures(): Record<string, string> {
  const recording = JSON.parse(read(RECORDING)) as Recording;
  const groups = [
    ...readGroups(read("results/corpus.md"), read("results/disk-repair.md")),
    readPeers(read("results/bench-peers.md")),
  ];
  // Until the first run of the proof there is none.
  const proof = existsSync(repositoryFile(PROOF)) ? (JSON.parse(read(PROOF)) as Proof) : undefined;
  return Object.fromEntries(
    (Object.keys(THEMES) as ThemeName[]).flatMap((name) => [
      [`${IMAGES}/incident-${name}.svg`, panes(recording, name)],
      [`${IMAGES}/incident-${name}-phone.svg`, panes(recording, name, true)],
      [`${IMAGES}/bricked-${name}.svg`, chart(groups, name)],
      ...(proof === undefined ? [] : [[`${IMAGES}/proof-${name}.svg`, proofChart(proof, name)] as const]),
      [`${IMAGES}/bricked-${name}-phone.svg`, chart(groups, name, true)],
    ]),
  );
}

/** Writes them all. */
export function writePictures(): void {
  for (const [file, content] of Object.entries(pictures())) writeFileSync(repositoryFile(file), content);
}
