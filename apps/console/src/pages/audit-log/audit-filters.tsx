import { Button, Group, Select } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Operations } from '../../api/api.generated.js';
import { useWholeList } from '../../api/use-api.js';
import { dayOf, startOfDay } from '../../ui/day.js';
import { DayRange } from '../../ui/day-range.js';
import { readable } from '../../ui/foreign-text.js';
import { oneOf } from '../../ui/one-of.js';
import { useAddress } from '../../ui/use-address.js';
import { actionWords, type Action } from './action-words.js';

/** What of the log is shown. Dates are days of the browser's zone, empty where there is no bound. */
export interface AuditFilter {
  readonly action: Action | null;
  readonly actor: Actor | null;
  readonly since: string;
  readonly until: string;
}

/** Whose acts are shown. */
export interface Actor {
  readonly id: string;
  readonly name: string;
}

const actions = Object.entries(actionWords).map(([value, label]) => ({ value, label }));

/** Nothing is filtered. */
export const everything: AuditFilter = { action: null, actor: null, since: '', until: '' };

/** The filter that the page's address keeps; an actor that was chosen in the list has its name. */
export function useAuditFilter(): readonly [AuditFilter, (filter: AuditFilter) => void] {
  const [kept, keep] = useAddress(['action', 'actor', 'since', 'until']);
  const [named, setNamed] = useState<Actor | null>(null);
  const filter = {
    action: oneOf(Object.keys(actionWords) as Action[], kept.action),
    actor: kept.actor === null || named?.id !== kept.actor ? unnamed(kept.actor) : named,
    since: dayOf(kept.since),
    until: dayOf(kept.until),
  };
  const change = ({ action, actor, since, until }: AuditFilter): void => {
    setNamed(actor);
    keep({ action, actor: actor?.id ?? null, since: since || null, until: until || null });
  };
  return [filter, change];
}

/** An actor of whom the address has the id alone. */
function unnamed(id: string | null): Actor | null {
  return id === null ? null : { id, name: id };
}

/** Whether the filter leaves something out. */
export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== null && value !== '');
}

/** The filter as the API takes it. */
export function queryOf({ action, actor, since, until }: AuditFilter): Operations['listAuditLog']['query'] {
  return {
    action: action ?? undefined,
    actor: actor?.id,
    since: startOfDay(since)?.toISOString(),
    until: startOfDay(until, 1)?.toISOString(),
  };
}

/** Chooses action, person and days. */
export function AuditFilters({
  filter,
  onChange,
}: {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}): ReactElement {
  const members = useWholeList('listMembers', {});
  const people = members.items.map(({ user: { id, name, email } }) => ({ id, name: `${name}, ${email}` }));
  // One who has left, or a key: chosen in the list.
  const known = filter.actor && !people.some(({ id }) => id === filter.actor?.id) ? [filter.actor, ...people] : people;
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="Action"
        placeholder="Every action"
        searchable
        clearable
        w={{ base: '100%', xs: 230 }}
        data={actions}
        value={filter.action}
        onChange={(action) => onChange({ ...filter, action: action as Action | null })}
      />
      <Select
        label="By"
        placeholder="Everyone"
        searchable
        clearable
        w={{ base: '100%', xs: 250 }}
        error={members.query.isError && 'Not everyone could be listed'}
        data={known.map(({ id, name }) => ({ value: id, label: readable(name) }))}
        value={filter.actor?.id ?? null}
        onChange={(chosen) => onChange({ ...filter, actor: known.find(({ id }) => id === chosen) ?? null })}
      />
      <DayRange
        from={filter.since}
        to={filter.until}
        onChange={({ from: since, to: until }) => onChange({ ...filter, since, until })}
      />
      {isFiltered(filter) && (
        <Button variant="subtle" color="gray" onClick={() => onChange(everything)}>
          Clear
        </Button>
      )}
    </Group>
  );
}
