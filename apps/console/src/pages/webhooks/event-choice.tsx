import { Button, Checkbox, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { eventTypes, type EventType } from './event-types.js';

/** Chooses the events of a webhook. */
export function EventChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly EventType[];
  readonly onChange: (events: readonly EventType[]) => void;
}): ReactElement {
  const all = eventTypes.map(({ type }) => type);
  const hasAll = chosen.length === all.length;
  return (
    <Stack gap="xs" role="group" aria-label="Events">
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          Events
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={() => onChange(hasAll ? [] : all)}>
          {hasAll ? 'Choose none' : 'Choose all'}
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {eventTypes.map(({ type, text }) => (
          <Checkbox
            key={type}
            size="xs"
            label={text}
            description={type}
            checked={chosen.includes(type)}
            onChange={() => onChange(chosen.includes(type) ? chosen.filter((one) => one !== type) : [...chosen, type])}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
