import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { TemplateUse } from '../../api/api.generated.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { ForeignText } from '../../ui/foreign-text.js';

/** Templates next to each other: what arrived, and what people did within 72 hours. */
export function TemplateTable({ templates }: { readonly templates: readonly TemplateUse[] }): ReactElement {
  if (templates.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No template was sent in this range.
      </Text>
    );
  }
  return (
    <DataTable label="Templates compared" columns={columns} items={templates} keyOf={({ templateId }) => templateId} />
  );
}

const columns: readonly Column<TemplateUse>[] = [
  {
    title: 'Template',
    cell: ({ name, language }) => (
      <Text size="sm" component="div">
        <ForeignText>{name}</ForeignText>{' '}
        <Text span size="xs" c="dimmed">
          {language}
        </Text>
      </Text>
    ),
  },
  figure('Sent', 'sent'),
  figure('Delivered', 'delivered'),
  figure('Read', 'read'),
  figure('Replied', 'replied'),
  figure('Opted out', 'optedOut'),
];

function figure(title: string, key: 'sent' | 'delivered' | 'read' | 'replied' | 'optedOut'): Column<TemplateUse> {
  return {
    title,
    align: 'right',
    cell: (use) => (
      <Text size="sm">
        {use[key].toLocaleString('en')}
        {key !== 'sent' && use.sent > 0 && (
          <Text span size="xs" c="dimmed">
            {' '}
            {Math.round((use[key] / use.sent) * 100)} %
          </Text>
        )}
      </Text>
    ),
  };
}
