import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { readable } from '../../ui/foreign-text.js';
import { channelWords, type ChannelChoice } from './channel-choice.js';

/** From whom a bulk send goes, and what it takes of the plan. @param props.left messages of the month; null: not known */
export function SendSummary({
  from,
  count,
  left,
}: {
  readonly from: ChannelChoice;
  readonly count: number;
  readonly left: number | null;
}): ReactElement {
  return (
    <div>
      <Sender from={from} />
      <Cost count={count} left={left} />
    </div>
  );
}

function Sender({ from: { chosen, problem } }: { readonly from: ChannelChoice }): ReactElement | null {
  const words = problem ?? (chosen ? `From ${channelWords(chosen)}` : null);
  if (words === null) return null;
  return (
    <Text size="sm" c={problem === null ? 'dimmed' : 'red'}>
      {readable(words)}
    </Text>
  );
}

function Cost({ count, left }: { readonly count: number; readonly left: number | null }): ReactElement {
  if (left === null) return <span />;
  return (
    <Text size="sm" c={count > left ? 'red' : 'dimmed'}>
      {count > left
        ? `The plan has ${left.toLocaleString('en')} messages left this month: ${count.toLocaleString('en')} are too many.`
        : `Takes ${count.toLocaleString('en')} of ${left.toLocaleString('en')} messages left this month.`}
    </Text>
  );
}
