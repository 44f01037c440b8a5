import { Alert, Button, SegmentedControl } from '@mantine/core';
import { IconFlask, IconMessages } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, useSyncExternalStore, type ReactElement } from 'react';
import { isLive, watchLive } from '../../api/live-events.js';
import { useRead } from '../../api/use-api.js';
import { EmptyState } from '../../ui/empty-state.js';
import { oneOf } from '../../ui/one-of.js';
import { PageFrame } from '../../ui/page.js';
import { inPlainWords } from '../../ui/status-badge.js';
import { useAddress } from '../../ui/use-address.js';
import { ConversationList } from './conversation-list.js';
import { useThread, type Status } from './inbox-data.js';
import classes from './inbox.module.css';
import { useLiveInbox } from './live-inbox.js';
import { Thread } from './thread.js';

const SandboxDrawer = lazy(() => import('./sandbox-drawer.js').then((found) => ({ default: found.SandboxDrawer })));
const statuses: readonly Status[] = ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED', 'ARCHIVED'];

/** Conversations by status on one side, the chosen one on the other; both follow what happens. */
export function Page(): ReactElement {
  const [kept] = useAddress(['status', 'conversation']);
  const navigate = useNavigate();
  const status = oneOf(statuses, kept.status) ?? 'OPEN';
  const chosen = kept.conversation ?? undefined;
  const [isPlaying, setIsPlaying] = useState(false);
  useLiveInbox(status);
  const isUpToDate = useSyncExternalStore(watchLive, isLive);
  const sandbox = useRead('getSandbox', {});
  const show = (next: { readonly status: Status; readonly conversation?: string }): void => {
    void navigate({ to: '/inbox', search: next } as unknown as { to: '/' });
  };
  return (
    <PageFrame
      title="Inbox"
      isWide
      actions={
        sandbox.data && (
          <Button
            variant="default"
            leftSection={<IconFlask size={16} aria-hidden />}
            onClick={() => setIsPlaying(true)}
          >
            Sandbox
          </Button>
        )
      }
    >
      {!isUpToDate && (
        <Alert color="yellow" variant="light" role="status" title="The inbox is not live">
          New messages and changes do not appear by themselves for now. The page goes on trying.
        </Alert>
      )}
      <div className={classes['frame']} data-chosen={chosen !== undefined} data-playing={isPlaying}>
        <section className={classes['pane']} aria-label="Conversations by status">
          <SegmentedControl
            size="xs"
            m={8}
            className={classes['statuses']}
            aria-label="Status"
            data={statuses.map((value) => ({ value, label: inPlainWords(value) }))}
            value={status}
            onChange={(value) => show({ status: value as Status })}
          />
          <ConversationList
            key={status}
            status={status}
            chosen={chosen}
            onChoose={(conversation) => show({ status, conversation })}
          />
        </section>
        <section className={classes['pane']} aria-label="Conversation">
          {chosen === undefined ? (
            <EmptyState isFramed={false} icon={IconMessages} title="Choose a conversation">
              Its messages, and what became of each, appear here. Replies go out over the channel that it came in on.
            </EmptyState>
          ) : (
            <Thread id={chosen} onBack={() => show({ status })} />
          )}
        </section>
      </div>
      {sandbox.data && (
        <Suspense fallback={null}>
          <Played key={chosen} id={chosen} isOpen={isPlaying} onClose={() => setIsPlaying(false)} />
        </Suspense>
      )}
    </PageFrame>
  );
}

/** The drawer with what the chosen conversation says of its recipient. */
function Played({
  id,
  isOpen,
  onClose,
}: {
  readonly id: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactElement {
  return id === undefined ? (
    <SandboxDrawer isOpen={isOpen} onClose={onClose} phone={undefined} newestSent={undefined} />
  ) : (
    <PlayedIn id={id} isOpen={isOpen} onClose={onClose} />
  );
}

function PlayedIn({
  id,
  isOpen,
  onClose,
}: {
  readonly id: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactElement {
  const { data } = useRead('getConversation', { path: { id } });
  const newest = useThread(id).data?.pages[0]?.items.find(
    ({ direction, upstreamMessageId }) => direction === 'OUTBOUND' && upstreamMessageId !== null,
  );
  return <SandboxDrawer isOpen={isOpen} onClose={onClose} phone={data?.contact.phone} newestSent={newest} />;
}
