/**
 * The circles of waiting sessions that PostgreSQL broke, each with what its members waited for and their statements.
 *
 * @param log of a server that writes errors with their details (`log_error_verbosity` is terse for services)
 */
export function deadlocksIn(log: string): string[] {
  const found = log.matchAll(/deadlock detected\n.*DETAIL: {2}(?<detail>.*(?:\n\t.*)*)/g);
  return [...found].map(({ groups }) => groups?.['detail'] ?? '');
}
