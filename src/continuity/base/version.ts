/** The version of this package, written into every event; a test compares it with package.json. */
export const PRODUCER_VERSION = "0.1.0";
