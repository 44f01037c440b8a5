import type { MutationOptions, QueryClient } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import type { Operations } from './api.generated.js';
import { call, type Answer, type Input } from './call.js';
import { holdPage } from './held-page.js';
import { mayBeDone, rethrow, type Problem } from './problem.js';
import { showDone, showProblem } from '../ui/notices.js';

type Name = keyof Operations;

/** How a change is made, and what it does when it has succeeded. */
export interface ChangeOptions<N extends Name> {
  /** Makes it, where that is more than the one call. */
  readonly make?: (input: Input<N>) => Promise<Answer<N>>;
  /** The operations whose answers it makes old; they are read anew as well when it may have been carried out. */
  readonly refreshes?: readonly Name[];
  /** A sentence to show. */
  readonly done?: string | ((answer: Answer<N>) => string);
  readonly onDone?: (answer: Answer<N>) => void;
  /** True: the page shows the refusal itself, next to the form. */
  readonly isQuiet?: boolean;
  /** True: its answer is shown this once, so the page is not left before it comes. */
  readonly isShownOnce?: boolean;
}

/** A change by one operation, as react-query makes it. */
export function changeOf<N extends Name>(
  client: QueryClient,
  name: N,
  {
    make = (input) => call(name, input),
    refreshes = [],
    done,
    onDone,
    isQuiet = false,
    isShownOnce = false,
  }: ChangeOptions<N>,
): MutationOptions<Answer<N>, Problem, Input<N>, (() => void) | null> {
  const refreshOne = async (one: Name): Promise<void> => {
    // A first read that is under way would go on otherwise, and may be older than the change.
    await client.cancelQueries({ queryKey: [one] });
    await client.invalidateQueries({ queryKey: [one] });
  };
  const refresh = (): Promise<unknown> => Promise.all(refreshes.map(refreshOne));
  return {
    mutationFn: (input) => make(input).catch(rethrow),
    onMutate: () => (isShownOnce ? holdPage() : null),
    onSuccess: async (answer, _input, release) => {
      if (done !== undefined) showDone(typeof done === 'string' ? done : done(answer));
      if (release) {
        // The dialog that shows the answer holds the page itself once it is drawn. What is read anew may take long: no reason to stay.
        flushSync(() => onDone?.(answer));
        release();
      } else onDone?.(answer);
      await refresh();
    },
    onError: (problem) => {
      if (!isQuiet) showProblem(problem);
      // What the page shows is old where somebody else has taken it away, and may be where no answer says what became of the change.
      if (problem.status === 404 || mayBeDone(problem)) void refresh();
    },
    onSettled: (_answer, _problem, _input, release) => release?.(),
  };
}
