import { Badge, Button, Card, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch, IconSend2, IconTemplate } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { Template } from '../../api/api.generated.js';
import { useList } from '../../api/use-api.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ForeignText, readable } from '../../ui/foreign-text.js';
import { LinkTo } from '../../ui/link-to.js';
import { oneOf } from '../../ui/one-of.js';
import { PageFrame } from '../../ui/page.js';
import { ListView } from '../../ui/query-view.js';
import { inPlainWords, StatusBadge, type Tone } from '../../ui/status-badge.js';
import { useAddress } from '../../ui/use-address.js';
import { TemplatePreview } from './template-preview.js';

const tones: Readonly<Record<Template['status'], Tone>> = {
  APPROVED: 'good',
  PENDING: 'busy',
  DRAFT: 'quiet',
  PAUSED: 'warning',
  REJECTED: 'bad',
  DISABLED: 'quiet',
};

const statuses = Object.keys(tones) as readonly Template['status'][];

/** Templates, as the provider has them, with a preview of each. */
export function Page(): ReactElement {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 300);
  const [kept, keep] = useAddress(['status']);
  const status = oneOf(statuses, kept.status);
  const query = { search: search === '' ? undefined : search, status: status ?? undefined };
  const list = useList('listTemplates', { query } as never, { pollMs: 30_000 });
  const isFiltered = search !== '' || status !== null;
  return (
    <PageFrame
      title="Templates"
      description="Messages that the provider approved. They are written in the provider’s console and synchronised every few minutes."
    >
      <Group gap="sm">
        <TextInput
          aria-label="Search templates"
          placeholder="Search by name"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Select
          aria-label="Status"
          placeholder="Every status"
          clearable
          value={status}
          onChange={(chosen) => keep({ status: chosen })}
          data={statuses.map((value) => ({ value, label: inPlainWords(value) }))}
        />
      </Group>
      <ListView
        list={list}
        empty={
          <EmptyState icon={IconTemplate} title={isFiltered ? 'No template fits' : 'No template yet'}>
            {isFiltered
              ? 'Try another name or status.'
              : 'Write one in the provider’s console; once it is there, it shows up here by itself.'}
          </EmptyState>
        }
      >
        {(items) => (
          <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
            {items.map((template) => (
              <TemplateCard key={template.id} template={template} />
            ))}
          </SimpleGrid>
        )}
      </ListView>
    </PageFrame>
  );
}

function TemplateCard({ template }: { readonly template: Template }): ReactElement {
  const { id, name, language, status, category, variables } = template;
  return (
    <Card withBorder padding="md">
      <Stack gap="sm" h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div style={{ minWidth: 0 }}>
            <Text fw={600} size="sm" component="div">
              <ForeignText>{name}</ForeignText>
            </Text>
            <Text size="xs" c="dimmed">
              {language} · {inPlainWords(category)}
            </Text>
          </div>
          <StatusBadge tone={tones[status]}>{inPlainWords(status)}</StatusBadge>
        </Group>
        <TemplatePreview template={template} />
        <Group gap={6}>
          {variables.length === 0 ? (
            <Text size="xs" c="dimmed">
              No variables
            </Text>
          ) : (
            variables.map((variable) => (
              <Badge key={`${variable.in}.${variable.name}`} color="gray" title={`in the ${variable.in.toLowerCase()}`}>
                {`{{${variable.name}}}`}
              </Badge>
            ))
          )}
        </Group>
        {status === 'APPROVED' && (
          <Button
            component={LinkTo}
            to="/bulk-sends/new"
            search={{ template: id }}
            aria-label={`Send in bulk: ${readable(name)} (${language})`}
            variant="light"
            size="xs"
            mt="auto"
            leftSection={<IconSend2 size={15} aria-hidden />}
          >
            Send in bulk
          </Button>
        )}
      </Stack>
    </Card>
  );
}
