import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { RECORDED_APIS } from "../recorded/recorded.ts";
import type { Card, SuspectedCard } from "./card.ts";

/** A card with the name of its file. */
export type NamedCard = Card & { id: string };

/** All cards, in the order of their APIs and names. */
export const CARDS: readonly NamedCard[] = await Promise.all(
  RECORDED_APIS.flatMap((api) => {
    const folder = new URL(`${api}/`, import.meta.url);
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .toSorted((a, b) => basename(a).localeCompare(basename(b)))
      .map(async (file) => {
        const { default: card } = (await import(new URL(file, folder).href)) as { default: Card };
        if (card.api !== api)
          throw new Error(`Expected a card of ${api} in its folder; found one of ${card.api} in ${file}. Move it.`);
        return { ...card, id: basename(file, ".ts") };
      });
  }),
);

/** The cards of what only a refusal can tell, with the names of their files. */
export const SUSPECTED: readonly (SuspectedCard & { id: string })[] = await Promise.all(
  readdirSync(new URL("suspected/", import.meta.url))
    .filter((file) => file !== "messages.ts")
    .toSorted()
    .map(async (file) => {
      const { default: card } = (await import(new URL(`suspected/${file}`, import.meta.url).href)) as {
        default: SuspectedCard;
      };
      return { ...card, id: file.replace(/\.ts$/, "") };
    }),
);
