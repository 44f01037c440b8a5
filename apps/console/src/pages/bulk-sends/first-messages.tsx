import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Template } from '../../api/api.generated.js';
import { TemplatePreview } from '../templates/template-preview.js';
import type { MappedRecipient } from './recipients.js';

const PREVIEWS = 3;

/** What the first recipients of a bulk send will read. */
export function FirstMessages({
  template,
  recipients,
}: {
  readonly template: Template;
  readonly recipients: readonly MappedRecipient[];
}): ReactElement {
  return (
    <Paper withBorder p="lg">
      <Text fw={600} mb="sm">
        The first messages
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {recipients.slice(0, PREVIEWS).map(({ line, to, values }) => (
          <div key={line}>
            <Text size="xs" c="dimmed" mb={4}>
              Row {line}: {to}
            </Text>
            <TemplatePreview template={template} values={values} />
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  );
}
