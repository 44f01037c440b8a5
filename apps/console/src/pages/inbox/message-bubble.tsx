import { Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Message } from '../../api/api.generated.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { fullTime, Time } from '../../ui/time.js';
import classes from './inbox.module.css';
import { outcomeOf, statusWords, stepsOf } from './outcomes.js';

/** A message with what became of it; a click shows its steps. */
export function MessageBubble({ message }: { readonly message: Message }): ReactElement {
  const isOut = message.direction === 'OUTBOUND';
  const [words] = statusWords[message.status];
  const failure = message.error && outcomeOf(message.error);
  return (
    <div className={classes['message']} data-out={isOut} data-message={message.id}>
      <Popover position={isOut ? 'left' : 'right'} withArrow shadow="md" width={280}>
        <Popover.Target>
          <UnstyledButton className={classes['bubble']} aria-label={`${isOut ? 'Sent' : 'Received'} message, ${words}`}>
            <ForeignText size="sm">{textOf(message)}</ForeignText>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap={4}>
            {stepsOf(message).map(({ what, at }) => (
              <Text key={what} size="xs">
                <strong>{what}</strong> {fullTime(at)}
              </Text>
            ))}
            {message.jobId !== null && <Text size="xs">Part of a bulk send</Text>}
            {message.clientReference !== null && (
              <Text size="xs">
                Reference <ForeignText>{message.clientReference}</ForeignText>
              </Text>
            )}
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <Text size="xs" c={failure ? 'red' : 'dimmed'} component="div">
        {isOut ? `${words} · ` : ''}
        <Time at={message.createdAt} />
      </Text>
      {failure && (
        <Text size="xs" maw={480} component="div">
          <ForeignText>{failure.what}</ForeignText> {failure.advice}
        </Text>
      )}
    </div>
  );
}

function textOf({ text, type, unsupportedType }: Message): string {
  if (text !== null && text !== '') return text;
  return type === 'UNSUPPORTED' ? `(${unsupportedType ?? 'content'} that cannot be shown here)` : '(no text)';
}
