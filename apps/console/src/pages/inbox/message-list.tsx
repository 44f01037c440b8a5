import { Center, Loader } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, type ReactElement } from 'react';
import type { Message } from '../../api/api.generated.js';
import classes from './inbox.module.css';
import { MessageBubble } from './message-bubble.js';

/** Pixels from the end within which new messages are followed. */
const NEAR_END = 120;

/**
 * The messages of a conversation, the newest at the end; only those that are seen are in the page. What is older comes when the
 * beginning is near, without moving what is read.
 */
export function MessageList({
  messages,
  isLoading,
  onStart,
}: {
  /** The oldest first. */
  readonly messages: readonly Message[];
  readonly isLoading: boolean;
  readonly onStart: () => void;
}): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const before = useRef({ oldest: '', newest: '', size: 0 });
  const rows = useVirtualizer({
    count: messages.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 72,
    overscan: 8,
    getItemKey: (index) => messages[index]?.id ?? index,
  });
  const [oldest = '', newest = ''] = [messages[0]?.id, messages.at(-1)?.id];
  const size = rows.getTotalSize();
  useLayoutEffect(() => {
    const element = frame.current;
    const last = before.current;
    if (element) {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
      else if (last.oldest !== oldest && last.newest === newest) element.scrollTop += size - last.size;
    }
    before.current = { oldest, newest, size };
  }, [oldest, newest, size]);
  const first = rows.getVirtualItems()[0]?.index ?? 0;
  useEffect(() => {
    if (first <= 5 && messages.length > 0) onStart();
  }, [first, messages.length, onStart]);
  return (
    <div
      ref={frame}
      className={classes['thread']}
      tabIndex={0}
      role="log"
      aria-label="Messages"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
      }}
    >
      {isLoading && (
        <Center py="xs">
          <Loader size="xs" aria-label="Loading older messages" />
        </Center>
      )}
      <div style={{ height: size, position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const message = messages[index];
          return message === undefined ? null : (
            <div
              key={key}
              data-index={index}
              ref={rows.measureElement}
              style={{ position: 'absolute', insetInline: 0, top: 0, transform: `translateY(${start}px)` }}
            >
              <MessageBubble message={message} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
