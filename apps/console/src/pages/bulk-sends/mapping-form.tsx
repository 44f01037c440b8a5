import { Select, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Template } from '../../api/api.generated.js';
import type { Mapping } from './recipients.js';

/** Chooses the columns of the phone number and of each variable. */
export function MappingForm({
  headings,
  template,
  mapping,
  onChange,
}: {
  readonly headings: readonly string[];
  readonly template: Template;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}): ReactElement {
  const data = headings.map((label, index) => ({ value: String(index), label }));
  const column = (value: string | null): number | null => (value === null ? null : Number(value));
  const shown = (index: number | null): string | null => (index === null ? null : String(index));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        Columns
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }}>
        <Select
          label="Phone number"
          required
          data={data}
          value={shown(mapping.to)}
          onChange={(value) => onChange({ ...mapping, to: column(value) })}
        />
        {template.variables.map(({ name, in: place }, at) => (
          <Select
            key={`${place}.${name}`}
            label={`{{${name}}} of the ${place.toLowerCase()}`}
            required
            data={data}
            value={shown(mapping.variables[at] ?? null)}
            onChange={(value) =>
              onChange({
                ...mapping,
                variables: mapping.variables.map((one, index) => (index === at ? column(value) : one)),
              })
            }
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
