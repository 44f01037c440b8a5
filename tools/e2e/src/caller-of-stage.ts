import type { Stage } from '@switchboard/chaos/stage';
import { Api } from './api.js';

/** The API for the first organization of a stage. */
export function callerOf({ senders: [first], stack }: Stage): Api {
  const { baseUrl } = stack.devJson;
  if (!first || !baseUrl) throw new Error('the stack has nothing to test');
  return new Api(baseUrl, first.apiKey);
}
