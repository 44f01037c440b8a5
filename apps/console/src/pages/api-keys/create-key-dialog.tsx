import { Button, Checkbox, Group, SimpleGrid, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { NewApiKey } from '../../api/api.generated.js';
import { RequestKey } from '../../api/request-key.js';
import { useChange } from '../../api/use-api.js';
import { BusyButton } from '../../ui/busy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { ProblemAlert, type Doubt } from '../../ui/problem-alert.js';
import classes from './create-key-dialog.module.css';
import { isSameSet, presets, scopeGroups } from './scopes.js';

const doubt: Doubt = {
  title: 'The key may have been created',
  advice:
    'Create it again without changing anything: that makes no second key, and shows its text. If you close this form instead, look for its label in the list: a key whose text was not shown is of no use, so revoke it.',
};

/** The form for a new key: label, and scopes by preset or one by one. */
export function CreateKeyDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
}): ReactElement {
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<readonly string[] | null>(null);
  const [requestKey] = useState(() => new RequestKey());
  const create = useChange('createApiKey', {
    refreshes: ['listApiKeys'],
    isQuiet: true,
    isShownOnce: true,
    onDone: onCreated,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { label, ...(scopes === null ? {} : { scopes: [...scopes] }) };
    create.mutate({ body: body as never, headers: requestKey.headersOf(body) });
  };
  const isCustom = !presets.some((preset) => isSameSet(preset.scopes, scopes));
  return (
    <Dialog onClose={onClose} title="Create a key" size="lg">
      <form onSubmit={submit}>
        <Stack>
          {create.error && <ProblemAlert title="The key was not created" doubt={doubt} problem={create.error} />}
          <TextInput
            label="Label"
            description="Which system uses it, for example “Shop backend”. Only this page shows it."
            required
            maxLength={100}
            data-autofocus
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <fieldset className={classes['fieldset']}>
            <Text component="legend" size="sm" fw={500} mb={6}>
              Access
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
              {presets.map((preset) => (
                <Choice
                  key={preset.name}
                  name={preset.name}
                  text={preset.text}
                  isChosen={isSameSet(preset.scopes, scopes)}
                  onChoose={() => setScopes(preset.scopes)}
                />
              ))}
              <Choice
                name="Choose scopes"
                text="One by one, below"
                isChosen={isCustom}
                onChoose={() => setScopes(isCustom ? scopes : [])}
              />
            </SimpleGrid>
          </fieldset>
          {scopes !== null && <ScopeList chosen={scopes} onChange={setScopes} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <BusyButton type="submit" loading={create.isPending} disabled={label.trim() === '' || scopes?.length === 0}>
              Create key
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function Choice({
  name,
  text,
  isChosen,
  onChoose,
}: {
  readonly name: string;
  readonly text: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): ReactElement {
  return (
    <UnstyledButton className={classes['choice']} data-chosen={isChosen} aria-pressed={isChosen} onClick={onChoose}>
      <Text size="sm" fw={550}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {text}
      </Text>
    </UnstyledButton>
  );
}

function ScopeList({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (scopes: readonly string[]) => void;
}): ReactElement {
  const toggle = (scope: string): void =>
    onChange(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope]);
  return (
    <Stack gap="sm">
      {scopeGroups.map(({ name, scopes }) => (
        <fieldset key={name} className={classes['fieldset']}>
          <Text component="legend" size="xs" fw={600} c="dimmed" mb={6}>
            {name}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8}>
            {scopes.map(({ scope, text }) => (
              <Checkbox
                key={scope}
                size="xs"
                label={text}
                description={scope}
                checked={chosen.includes(scope)}
                onChange={() => toggle(scope)}
              />
            ))}
          </SimpleGrid>
        </fieldset>
      ))}
    </Stack>
  );
}
