import { Text, UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Message } from '../../api/api.generated.js';
import { outcomeOf } from '../../ui/failure-words.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { Time } from '../../ui/time.js';
import classes from './inbox.module.css';
import { statusWords } from './status-words.js';
import { useOpenTimeline } from './timeline-drawer.js';

/** A message with what became of it; a click or Enter shows its steps. */
export function MessageBubble({ message }: { readonly message: Message }): ReactElement {
  const open = useOpenTimeline();
  const isOut = message.direction === 'OUTBOUND';
  const [words] = statusWords[message.status];
  const failure = message.error && outcomeOf(message.error);
  return (
    <div className={classes['message']} data-out={isOut} data-message={message.id}>
      <UnstyledButton
        className={classes['bubble']}
        title="Show what happened to it"
        aria-haspopup="dialog"
        onClick={() => open(message)}
      >
        <span className="only-spoken">{isOut ? `Sent message, ${words}: ` : 'Received message: '}</span>
        <ForeignText>{textOf(message)}</ForeignText>
      </UnstyledButton>
      <Text size="xs" c={failure ? 'red' : 'dimmed'} component="div">
        {isOut ? `${words} · ` : ''}
        <Time at={message.createdAt} />
      </Text>
      {failure && (
        <Text size="xs" maw={480} ta={isOut ? 'end' : undefined} component="div">
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
