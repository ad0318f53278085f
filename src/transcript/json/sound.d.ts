/**
 * Judges the parts of a history in one walk instead of one for the depth, one for bigints and one for the texts: as long
 * as {@link isSound} is true, JSON.stringify can write everything that was shown, nothing of it nests too deeply, and
 * no text of it has a lone surrogate. False proves nothing: `whyNoJson` and `isWellFormed` tell whether, and what, is
 * wrong. Whoever shows all parts of a history need not ask these two.
 */
export declare class Sound {
    #private;
    isSound: boolean;
    /** Shows a text. */
    text(text: string): void;
    /** Shows a value of any kind. */
    value(value: unknown): void;
    /** Shows all fields of an object but those that are shown otherwise. */
    fields(object: Readonly<Record<string, unknown>>, isShown: (field: string) => boolean): void;
    /** Shows a value, and returns whether it is shallow enough for a call's arguments. */
    isShallow(value: unknown): boolean;
}
