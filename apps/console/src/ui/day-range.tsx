import { TextInput, type TextInputProps } from '@mantine/core';
import { useState, type ReactElement } from 'react';

/** The first and the last day of a period, as fields of type `date` have them; empty where there is no bound. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** While a year is typed, the field has one of fewer digits: 0002, 0020, 0202. Nothing here is as old. */
const YEAR_MIN = '1970';

/** Chooses a period by its days; a year that is still being typed is none. @param props.isCompact next to fields that show no label either */
export function DayRange({
  from,
  to,
  isCompact = false,
  onChange,
}: Days & { readonly isCompact?: boolean; readonly onChange: (days: Days) => void }): ReactElement {
  const named = (name: string): object => (isCompact ? { size: 'xs', 'aria-label': name } : { label: name });
  return (
    <>
      <DayField
        {...named('From')}
        max={to}
        day={from}
        error={to !== '' && from > to && 'After the last day'}
        onChange={(day) => onChange({ from: day, to })}
      />
      <DayField {...named('To')} min={from} day={to} onChange={(day) => onChange({ from, to: day })} />
    </>
  );
}

function DayField({
  day,
  onChange,
  ...props
}: Omit<TextInputProps, 'onChange' | 'value'> & {
  readonly day: string;
  readonly onChange: (day: string) => void;
}): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      {...props}
      type="date"
      value={typed ?? day}
      onChange={({ currentTarget: { value } }) => {
        const isWhole = value === '' || value >= YEAR_MIN;
        setTyped(isWhole ? null : value);
        if (isWhole) onChange(value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
