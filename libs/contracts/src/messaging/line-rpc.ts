import { defineRpc } from '../grammar/define-rpc.js';

/** The upstream's ids of lines and of business accounts. */
export interface UpstreamLines {
  readonly phoneNumberIds: readonly string[];
  readonly businessAccountIds: readonly string[];
}

/**
 * Which of the lines other organizations have, and which of the accounts others have a line of and this one has none: what came
 * by them is not the organization's. Lines that are no channel are in no answer.
 */
export const foreignLinesRpc = defineRpc<UpstreamLines, UpstreamLines>('messaging', 'foreign-lines', {
  deadlineMs: 5_000,
});
