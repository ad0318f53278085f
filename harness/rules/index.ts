import { readdirSync } from "node:fs";
import { RECORDED_APIS } from "../recorded/recorded.ts";
import type { Card } from "./card.ts";

/** A card with the name of its file. */
export type NamedCard = Card & { id: string };

/** All cards, in the order of their APIs and names. */
export const CARDS: readonly NamedCard[] = await Promise.all(
  RECORDED_APIS.flatMap((api) => {
    const folder = new URL(`${api}/`, import.meta.url);
    return readdirSync(folder)
      .toSorted()
      .map(async (file) => {
        const { default: card } = (await import(new URL(file, folder).href)) as { default: Card };
        if (card.api !== api)
          throw new Error(`Expected a card of ${api} in its folder; found one of ${card.api} in ${file}. Move it.`);
        return { ...card, id: file.replace(/\.ts$/, "") };
      });
  }),
);
