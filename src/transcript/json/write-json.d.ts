/** The beginning of a value's JSON text. */
export interface WrittenJson {
    readonly text: string;
    /** False when the text was cut at the limit; it is no JSON then. */
    readonly isWhole: boolean;
}
/**
 * Writes the JSON text of any value as `JSON.stringify` does, but without recursion: for any depth, ends for every
 * value, never throws. The text has at most `most` characters.
 */
export declare function writeJson(value: unknown, most?: number): WrittenJson;
