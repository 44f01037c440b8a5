import { NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import type { ReactElement, Ref } from 'react';
import { bulkSendDraft, type BulkSendDraftState } from './bulk-send-draft.js';
import { latestStart } from './start-time.js';

/** When a new bulk send starts, and how fast it goes. */
export function TimingFields({
  draft: { scheduled, throttle },
  startField,
}: {
  readonly draft: Pick<BulkSendDraftState, 'scheduled' | 'throttle'>;
  readonly startField: Ref<HTMLInputElement>;
}): ReactElement {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        ref={startField}
        type="datetime-local"
        label="Start"
        description="Empty: at once. At most 35 days ahead."
        max={latestStart(new Date())}
        value={scheduled}
        onChange={(event) => bulkSendDraft.write({ scheduled: event.currentTarget.value })}
      />
      <NumberInput
        label="Messages an hour at most"
        description="Empty: as fast as the channel allows"
        min={1}
        max={1_000_000}
        allowDecimal={false}
        thousandSeparator=","
        value={throttle}
        onChange={(value) => bulkSendDraft.write({ throttle: typeof value === 'number' ? value : '' })}
      />
    </SimpleGrid>
  );
}
