import { TextInput } from '@mantine/core';
import type { ReactElement } from 'react';

/** The first and the last day of a period, as fields of type `date` have them; empty where there is no bound. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Chooses a period by its days. @param props.isCompact next to fields that show no label either */
export function DayRange({
  from,
  to,
  isCompact = false,
  onChange,
}: Days & { readonly isCompact?: boolean; readonly onChange: (days: Days) => void }): ReactElement {
  const named = (name: string): object => (isCompact ? { size: 'xs', 'aria-label': name } : { label: name });
  return (
    <>
      <TextInput
        type="date"
        {...named('From')}
        max={to}
        value={from}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value, to })}
      />
      <TextInput
        type="date"
        {...named('To')}
        min={from}
        value={to}
        onChange={({ currentTarget }) => onChange({ from, to: currentTarget.value })}
      />
    </>
  );
}
