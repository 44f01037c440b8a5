import { Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FailureCount } from '../../api/api.generated.js';
import { meaningOf } from '../../ui/failure-words.js';

/** Failures by the provider's code, with what it means. */
export function FailureTable({ failures }: { readonly failures: readonly FailureCount[] }): ReactElement {
  if (failures.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No message failed in this range.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      {failures.map(({ code, count }) => (
        <Group key={code} justify="space-between" wrap="nowrap">
          <div>
            <Text size="sm" fw={550}>
              {code}
            </Text>
            <Text size="xs" c="dimmed">
              {meaningOf(code)}
            </Text>
          </div>
          <Text size="sm">{count.toLocaleString('en')}</Text>
        </Group>
      ))}
    </Stack>
  );
}
