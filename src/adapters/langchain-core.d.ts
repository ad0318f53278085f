/** What the adapter loads of `@langchain/core`, which is not among what this project installs. */
declare module "@langchain/core/messages" {
  export function mapStoredMessagesToChatMessages(stored: object[]): object[];
}
