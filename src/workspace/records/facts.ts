/** The fact that sessions were being forgotten: what they wrote is deleted by the next tidying, also after a kill. */
export const FORGETTING = "forgetting";
