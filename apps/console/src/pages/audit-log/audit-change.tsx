import { Code, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { AuditEntry } from '../../api/api.generated.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { inPlainWords } from '../../ui/status-badge.js';
import { fullTime } from '../../ui/time.js';
import classes from './audit-log.module.css';

type State = Readonly<Record<string, unknown>> | null;

/** What an act changed, field by field; fields that stayed as they were are left out. */
export function AuditChange({ entry }: { readonly entry: AuditEntry }): ReactElement | null {
  const [before, after] = [entry.before as State, entry.after as State];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter((name) => textOf(before?.[name]) !== textOf(after?.[name]));
  // Of what is new, what is unset says nothing; no scopes at all means every scope.
  const isRecorded = (name: string): boolean => before !== null || name === 'scopes' || after?.[name] !== null;
  const shown = (changed.length === 0 ? names : changed).filter(isRecorded);
  if (shown.length === 0) return null;
  return (
    <dl className={classes['fields']}>
      {shown.map((name) => (
        <div key={name}>
          <dt>{inPlainWords(name.replaceAll(/(?=[A-Z])/g, '_')).toLowerCase()}</dt>
          <dd>
            <Value name={name} value={before?.[name]} isOld={after !== null && changed.length > 0} />
            {before?.[name] !== undefined && after?.[name] !== undefined && changed.length > 0 && ' → '}
            {changed.length > 0 && <Value name={name} value={after?.[name]} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({
  name,
  value,
  isOld = false,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly isOld?: boolean;
}): ReactElement | null {
  if (value === undefined) return null;
  const text = wordsOf(name, value);
  return text === '' ? (
    <Code>empty</Code>
  ) : (
    <Text span inherit td={isOld ? 'line-through' : undefined}>
      <ForeignText>{text}</ForeignText>
    </Text>
  );
}

/** Fields whose values are words of ours: what people wrote stays as it is. */
const ours: ReadonlySet<string> = new Set(['role', 'status', 'plan', 'subscriptionStatus']);
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A value as people read it. */
function wordsOf(name: string, value: unknown): string {
  if (name === 'scopes' && value === null) return 'all';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
    return value.join(', ');
  if (typeof value !== 'string') return textOf(value);
  if (ours.has(name)) return inPlainWords(value);
  return ISO_TIME.test(value) ? fullTime(value) : value;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return value === null ? 'none' : '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
