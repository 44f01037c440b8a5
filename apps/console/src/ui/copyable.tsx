import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import classes from './copyable.module.css';

/** A button that copies a text. @param label what is copied: "Copy the key" */
export function CopyIcon({ value, label }: { readonly value: string; readonly label: string }): ReactElement {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            onClick={copy}
            aria-label={copied ? 'Copied' : label}
          >
            {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** One line to copy, such as a secret or an id. */
export function CopyLine({ value, label }: { readonly value: string; readonly label: string }): ReactElement {
  return (
    <Group gap={4} wrap="nowrap" className={classes['line']}>
      <Code className={classes['value']}>{value}</Code>
      <CopyIcon value={value} label={label} />
    </Group>
  );
}

/** Lines of code to copy. */
export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }): ReactElement {
  return (
    <div className={classes['block']}>
      <div className={classes['corner']}>
        <CopyIcon value={code} label={label} />
      </div>
      <pre className={classes['code']} tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
