import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { problemOf } from '../../api/problem.js';
import { useChange, type Change } from '../../api/use-api.js';
import { showProblem } from '../../ui/notices.js';
import { bulkSendDraft } from './bulk-send-draft.js';
import { inRows, type MappedRecipient } from './recipients.js';
import { acceptedWords } from './send-in-bulk.js';

/** Sends the draft and opens what was started. Where its page was left meanwhile, a failure is shown as a notice. */
export function useSend(recipients: readonly MappedRecipient[]): Change<'sendTemplate'> {
  const router = useRouter();
  const isShown = useIsShown();
  return useChange('sendTemplate', {
    make: ({ body }) => {
      const sending = bulkSendDraft.send(body, (message) => inRows(message, recipients));
      sending.catch((error: unknown) => !isShown.current && showProblem(problemOf(error)));
      return sending;
    },
    refreshes: ['listJobs', 'getPlan'],
    isQuiet: true,
    done: acceptedWords,
    onDone: ({ id }) => {
      if (isShown.current) void router.navigate({ to: `/bulk-sends/${id}` as '/' });
    },
  });
}

/** Whether the page is in the browser still, for what ends later. */
function useIsShown(): { readonly current: boolean } {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  return isShown;
}
