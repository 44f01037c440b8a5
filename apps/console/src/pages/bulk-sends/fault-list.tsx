import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { readable } from '../../ui/foreign-text.js';
import type { LineFault } from './recipients.js';

const SHOWN_MAX = 10;

/** The rows of a file that cannot be sent, by their numbers in the file. */
export function FaultList({ faults }: { readonly faults: readonly LineFault[] }): ReactElement {
  const more = faults.length - SHOWN_MAX;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={
        faults.length === 1 ? 'One row cannot be sent' : `${faults.length.toLocaleString('en')} rows cannot be sent`
      }
    >
      <List size="sm">
        {faults.slice(0, SHOWN_MAX).map(({ line, problem }) => (
          <List.Item key={line}>
            Row {line} {readable(problem)}
          </List.Item>
        ))}
        {more > 0 && <List.Item>and {more.toLocaleString('en')} more</List.Item>}
      </List>
      Correct the file and choose it again: a bulk send is taken whole or not at all.
    </Alert>
  );
}
