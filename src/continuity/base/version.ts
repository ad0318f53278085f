/** The version of this package, as every event says who wrote it; a test holds it to package.json. */
export const PRODUCER_VERSION = "0.1.0";
