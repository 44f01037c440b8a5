import { wordsOfFailure, wordsOfRefusal, type CodeWords } from '@switchboard/contracts/messaging/code-words';

/**
 * The code of a refused request with what it means and what to do; never what the provider wrote, which may repeat parts of
 * the message.
 */
export function inWords(code: string): string {
  return sentence(code, wordsOfRefusal(code));
}

/** The same for the code by which a message failed. */
export function failureInWords(code: string): string {
  return sentence(code, wordsOfFailure(code));
}

function sentence(code: string, known: CodeWords | undefined): string {
  if (!known) return `${code}: see the provider's page of error codes.`;
  return `${code}: ${known.means}. ${known.advice}`;
}
