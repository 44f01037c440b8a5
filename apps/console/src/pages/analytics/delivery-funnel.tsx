import { Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { DeliveryFigures } from '../../api/api.generated.js';

/** How many messages reached each stage, and how fast. */
export function DeliveryFunnel({ figures }: { readonly figures: DeliveryFigures }): ReactElement {
  const { accepted, sent, delivered, read, failed, secondsToDelivered, secondsToRead } = figures;
  const stages = [
    { label: 'Accepted', value: accepted, color: 'indigo.8' },
    { label: 'Sent', value: sent, color: 'indigo.6' },
    { label: 'Delivered', value: delivered, color: 'teal.6' },
    { label: 'Read', value: read, color: 'teal.8' },
    { label: 'Failed', value: failed, color: 'red.6' },
  ];
  return (
    <Stack gap="sm">
      {stages.map(({ label, value, color }) => (
        <div key={label}>
          <Group justify="space-between" mb={4}>
            <Text size="sm">{label}</Text>
            <Text size="sm" c="dimmed">
              {value.toLocaleString('en')}
              {accepted > 0 && label !== 'Accepted' ? ` · ${((value / accepted) * 100).toFixed(1)} %` : ''}
            </Text>
          </Group>
          <Progress
            value={accepted === 0 ? 0 : (value / accepted) * 100}
            color={color}
            size="md"
            radius="xl"
            aria-label={label}
          />
        </div>
      ))}
      <Text size="xs" c="dimmed">
        {[...speed('delivered', secondsToDelivered), ...speed('read', secondsToRead)].join(' ')}
      </Text>
    </Stack>
  );
}

/** How long it took, as a sentence; none where nothing got so far. */
function speed(stage: string, { p50, p95 }: DeliveryFigures['secondsToRead']): readonly string[] {
  if (p50 === null || p95 === null) return [];
  return [`Half were ${stage} within ${seconds(p50)}, 95 % within ${seconds(p95)}.`];
}

function seconds(value: number): string {
  return value < 90 ? `${value.toFixed(1)} s` : `${Math.round(value / 60)} min`;
}
