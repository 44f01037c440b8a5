import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Template } from '../../api/api.generated.js';
import { useList, useRead } from '../../api/use-api.js';
import type { Read } from '../../ui/read-problem.js';
import { nothingFoundWords, optionsOf, searchOf, type TemplateOption } from './template-choice.js';

/** What a field for a template shows and takes. */
export interface ApprovedTemplates {
  /** The one that is chosen: undefined until it is read, and where it cannot be sent. */
  readonly template: Template | undefined;
  readonly options: readonly TemplateOption[];
  readonly placeholder: string;
  /** What it says where none of the options fits. */
  readonly nothingFound: string;
  readonly error: string | null;
  /** Without it there is nothing to choose from. */
  readonly read: Read;
  /** Takes what is typed into the field. */
  readonly onSearch: (typed: string) => void;
}

/** The templates that can be sent: the newest 100, what is typed is searched for among all, and the chosen one, however old it is. */
export function useApprovedTemplates(chosenId: string | null): ApprovedTemplates {
  const [typed, setTyped] = useState('');
  const newest = useList('listTemplates', { query: { status: 'APPROVED', limit: 100 } });
  const linked = useRead('getTemplate', { path: { id: chosenId ?? '' } }, { enabled: chosenId !== null });
  // The former one is shown until another is read.
  const read = linked.data?.id === chosenId ? linked.data : undefined;
  const chosen = newest.items.find(({ id }) => id === chosenId) ?? read;
  const template = chosen?.status === 'APPROVED' ? chosen : undefined;
  const wanted = searchOf(typed, chosen);
  const [search] = useDebouncedValue(wanted, 300);
  const query = { status: 'APPROVED', limit: 100, ...(search !== undefined && { search }) } as const;
  const isBehind = newest.query.hasNextPage;
  const found = useList('listTemplates', { query }, { enabled: search !== undefined && isBehind });
  const isSearching = wanted !== undefined && isBehind && (wanted !== search || found.query.isFetching);
  const failure = search === undefined ? null : found.query.error;
  return {
    template,
    options: optionsOf(newest.items, search === undefined ? [] : found.items, chosen ? [chosen] : []),
    placeholder: newest.query.isPending ? 'Loading…' : 'Choose an approved template',
    nothingFound: nothingFoundWords({
      isSearching: newest.query.isPending || isSearching,
      hasFailed: (newest.query.error ?? failure) !== null,
    }),
    error: problemOf(chosen, chosenId === null ? null : linked.error?.message, failure?.message),
    read: newest.query,
    onSearch: setTyped,
  };
}

function problemOf(
  chosen: Template | undefined,
  ofChosen: string | null | undefined,
  ofList: string | undefined,
): string | null {
  if (chosen && chosen.status !== 'APPROVED') return 'This template is not approved: it cannot be sent.';
  return (chosen ? null : ofChosen) ?? ofList ?? null;
}
