import type { MessageView } from './http.js';
import type { MessageFacts } from './message-facts.js';

/** The message as it is shown: every field is there, whichever release it comes from. */
export function messageViewOf(facts: MessageFacts): MessageView {
  const { clientReference = null, metadata = {}, jobId = null } = facts;
  return { ...facts, clientReference, metadata, jobId };
}
