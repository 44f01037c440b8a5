import { Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FailureCount } from '../../api/api.generated.js';

const meanings: Readonly<Record<string, string>> = {
  '131026': 'The number cannot receive messages',
  '131047': 'More than 24 hours since the contact wrote: send a template',
  '131048': 'The provider limits this number because of complaints',
  '131049': 'The provider held back a marketing message',
  '131050': 'The contact opted out at the provider',
  '131056': 'Too many messages to this contact in a short time',
  '132001': 'The template does not exist in this language',
  UPSTREAM_OUTCOME_UNKNOWN: 'The provider never said what became of it',
};

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
              {meanings[code] ?? 'See the provider’s list of error codes'}
            </Text>
          </div>
          <Text size="sm">{count.toLocaleString('en')}</Text>
        </Group>
      ))}
    </Stack>
  );
}
