import { Code, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { AuditEntry } from '../../api/api.generated.js';
import { ForeignText } from '../../ui/foreign-text.js';
import classes from './audit-log.module.css';

type State = Readonly<Record<string, unknown>> | null;

/** What an act changed, field by field; fields that stayed as they were are left out. */
export function AuditChange({ entry }: { readonly entry: AuditEntry }): ReactElement | null {
  const [before, after] = [entry.before as State, entry.after as State];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter((name) => textOf(before?.[name]) !== textOf(after?.[name]));
  const shown = changed.length === 0 ? names : changed;
  if (shown.length === 0) return null;
  return (
    <dl className={classes['fields']}>
      {shown.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value value={before?.[name]} isOld={after !== null && changed.length > 0} />
            {before?.[name] !== undefined && after?.[name] !== undefined && changed.length > 0 && ' → '}
            {changed.length > 0 && <Value value={after?.[name]} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value, isOld = false }: { readonly value: unknown; readonly isOld?: boolean }): ReactElement | null {
  if (value === undefined) return null;
  const text = textOf(value);
  return text === '' ? (
    <Code>empty</Code>
  ) : (
    <Text span inherit td={isOld ? 'line-through' : undefined}>
      <ForeignText>{text}</ForeignText>
    </Text>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return value === null ? 'none' : '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
