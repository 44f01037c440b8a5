import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { mayBeDone, type Problem } from '../api/problem.js';
import { readable } from './foreign-text.js';
import { waitSentence } from './in-words.js';
import classes from './problem-alert.module.css';

/** What a change that failed says where it may have been carried out all the same. */
export interface Doubt {
  readonly title: string;
  /** What to do before it is asked for again. */
  readonly advice: string;
}

/** A refusal or failure in the page: what went wrong, when to try again where the API says so, the request's id to copy, and a way on. */
export function ProblemAlert({
  problem,
  title = 'This did not work',
  doubt,
  isInDoubt = mayBeDone(problem),
  isPassing = false,
  onRetry,
}: {
  readonly problem: Problem;
  readonly title?: string;
  /** Takes the title's place when no answer says what became of the change. */
  readonly doubt?: Doubt;
  /** Whether it is so: by this problem, if left out. A refusal says nothing of an earlier try that had no answer. */
  readonly isInDoubt?: boolean;
  /** True: nothing is lost by it, and the page goes on. */
  readonly isPassing?: boolean;
  readonly onRetry?: () => void;
}): ReactElement {
  const shown = doubt && isInDoubt ? doubt : { title, advice: null };
  return (
    <Alert
      color={isPassing ? 'yellow' : 'red'}
      variant="light"
      icon={<IconAlertCircle aria-hidden />}
      title={shown.title}
      classNames={{ body: classes['body'] ?? '' }}
      role={isPassing ? 'status' : 'alert'}
    >
      <Stack gap="xs">
        <Text size="sm" component="div" className={classes['message']}>
          <Message text={problem.message} />
        </Text>
        {shown.advice !== null && <Text size="sm">{shown.advice}</Text>}
        {problem.retryAfterSeconds !== null && <Wait key={problem.requestId} seconds={problem.retryAfterSeconds} />}
        <Group gap="sm">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {problem.requestId !== null && <RequestId id={problem.requestId} />}
        </Group>
      </Stack>
    </Alert>
  );
}

/** Counted from when the problem is first shown. */
function Wait({ seconds }: { readonly seconds: number }): ReactElement {
  const [sentence] = useState(() => waitSentence(seconds, Date.now()));
  return <Text size="sm">{sentence}</Text>;
}

/** The API writes the names of fields between backticks. */
function Message({ text }: { readonly text: string }): ReactElement {
  return (
    <>
      {readable(text)
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <Code key={index}>{part}</Code> : part))}
    </>
  );
}

function RequestId({ id }: { readonly id: string }): ReactElement {
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={copy}
          className={classes['request']}
          title="Support finds the request by this id"
        >
          {copied ? 'Copied' : 'Request'}&nbsp;
          <Code fz="xs" className={classes['id']}>
            {id}
          </Code>
        </Button>
      )}
    </CopyButton>
  );
}
