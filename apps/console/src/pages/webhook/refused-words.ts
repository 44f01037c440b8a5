/**
 * Why an attempt with a response was no delivery, as a sentence.
 *
 * Source: docs/api-behaviour.md#webhooks-attempts.
 */
export function refusedWords(responseStatus: number): string {
  const isSuccess = responseStatus >= 200 && responseStatus < 300;
  return isSuccess
    ? `It answered ${responseStatus}, but not with its whole response within 10 seconds.`
    : `It answered ${responseStatus}; only 2xx counts.`;
}
