/**
 * Quotes foreign text inside text that this project writes for a model. Each line of a quotation begins with {@link
 * QUOTE_MARK}, so quoted text cannot end its own quotation: a line without the mark is this project's own.
 */
/** The beginning of each line of a quotation. */
export declare const QUOTE_MARK = "> ";
/** Splits a text at everything that some reader treats as a line end. */
export declare function linesOf(text: string): string[];
/** Quotes a text line by line. {@link unquoted} returns exactly the same text. */
export declare function quoted(text: string): string;
/** The inverse of {@link quoted}. */
export declare function unquoted(quotation: string): string;
/** A heading of this project with the quoted foreign text below it. */
export declare function section(heading: string, text: string): string;
/** The text as a JSON string on one line, cut after `limit` characters. */
export declare function quotedInline(text: string, limit?: number): string;
/**
 * A foreign name (of a tool, an id): unchanged where it is plain, otherwise {@link quotedInline} of its first 80
 * characters.
 */
export declare function nameInline(name: string): string;
/**
 * Any foreign value on one line: {@link quotedInline} of the first 80 characters of a text; only the kind of a list or
 * an object, however deep it is.
 */
export declare function valueInline(value: unknown): string;
