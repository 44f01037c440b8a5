import { notifications } from '@mantine/notifications';
import type { Problem } from '../api/problem.js';

/** Says that something was done. */
export function showDone(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000, withBorder: true });
}

/** Shows a refusal or failure with the id by which support finds the request. */
export function showProblem({ message, requestId }: Problem): void {
  const reference = requestId === null ? '' : ` (request ${requestId})`;
  notifications.show({
    title: 'That did not work',
    message: message + reference,
    color: 'red',
    autoClose: 12_000,
    withBorder: true,
  });
}

/** Says why a link or Back does nothing while the page makes or shows what is shown this once; one notice, however often it is tried. */
export function showHeld(): void {
  notifications.show({
    id: 'page-held',
    message: 'Not yet: what is made here is shown this once. Wait for it, keep it, and close its dialog first.',
    color: 'yellow',
    autoClose: 6_000,
    withBorder: true,
  });
}
