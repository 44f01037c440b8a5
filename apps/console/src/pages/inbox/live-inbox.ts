import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Conversation, Message } from '../../api/api.generated.js';
import { listen, type LiveEvent, type LiveListener } from '../../api/live-events.js';
import { problemOf, type Problem } from '../../api/problem.js';
import { isSessionReplaced } from '../../api/session-state.js';
import { showProblem } from '../../ui/notices.js';
import { conversationsKey, lookAtTop, moveInLists, showMessage, type Status } from './inbox-data.js';

/** Between two looks at the top of the inbox, however much happens. */
const LOOK_MS = 700;
/** After a look that failed. */
const LOOK_AGAIN_MS = 10_000;

/** Keeps the inbox as it is now, by the stream of events. */
export function useLiveInbox(status: Status): void {
  const client = useQueryClient();
  const inbox = useRef<LiveInbox | null>(null);
  useEffect(() => {
    const live = new LiveInbox(client, showProblem);
    inbox.current = live;
    const end = listen(live);
    return () => {
      live.end();
      end();
    };
  }, [client]);
  useEffect(() => inbox.current?.show(status), [client, status]);
}

/** What events do to the inbox: messages are shown at once, what an event does not say is read soon, many events together. */
export class LiveInbox implements LiveListener {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly over = new AbortController();
  private isLooking = false;
  private isFailing = false;
  private status: Status | null = null;
  /** What is to be read again, by operation. */
  private readonly changed = { getConversation: new Set<string>(), getContact: new Set<string>() };

  constructor(
    private readonly client: QueryClient,
    /** Called once an outage. */
    private readonly onProblem: (problem: Problem) => void,
  ) {}

  /** Follows the list of this status. What was read of it before is old: only the one that is shown was looked at. */
  show(status: Status): void {
    if (this.status !== null && this.status !== status) {
      void this.client.invalidateQueries({ queryKey: conversationsKey(status) });
    }
    this.status = status;
  }

  /** All is read again. What is being read for the first time began too soon: nothing else would end it. */
  onStart(): void {
    for (const name of ['listConversations', 'listMessages', 'getConversation']) {
      const queryKey = [name];
      void this.client.cancelQueries({ queryKey, predicate: ({ state }) => state.data === undefined });
      void this.client.invalidateQueries({ queryKey });
    }
  }

  onEvent({ event, data }: LiveEvent): void {
    const message = data['message'] as Message | undefined;
    const conversation = data['conversation'] as Conversation | undefined;
    // Over 256 KB an event carries the id alone.
    if (message && 'conversationId' in message) {
      showMessage(this.client, message);
      if (event === 'message.received') {
        this.changed.getConversation.add(message.conversationId);
        // A keyword may have ended an opt-out.
        this.changed.getContact.add(message.contactId);
      }
    }
    if (conversation) {
      if ('status' in conversation) moveInLists(this.client, conversation);
      // The event may be an old one, and most moves are no events.
      this.changed.getConversation.add(conversation.id);
    }
    if (event === 'optout.created') this.addContactOf(data);
    this.lookIn(LOOK_MS);
  }

  /** Nothing is read any more. */
  end(): void {
    this.over.abort();
    clearTimeout(this.timer);
  }

  private addContactOf(data: LiveEvent['data']): void {
    const { contactId } = (data['optOut'] ?? {}) as { readonly contactId?: unknown };
    if (typeof contactId === 'string') this.changed.getContact.add(contactId);
  }

  private lookIn(delayMs: number): void {
    if (this.over.signal.aborted) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.readChanged();
      void this.look();
    }, delayMs);
  }

  private readChanged(): void {
    for (const [name, ids] of Object.entries(this.changed)) {
      if (ids.size === 0) continue;
      const asked = new Set(ids);
      ids.clear();
      void this.client.invalidateQueries({
        queryKey: [name],
        predicate: ({ queryKey }) => asked.has((queryKey[1] as { readonly path: { readonly id: string } }).path.id),
      });
    }
  }

  /** One at a time: the answer of an earlier one would come over that of a later one. */
  private async look(): Promise<void> {
    if (this.isLooking) return this.lookIn(LOOK_MS);
    if (this.status === null) return;
    this.isLooking = true;
    try {
      if (await lookAtTop(this.client, this.status, this.over.signal)) this.isFailing = false;
      else this.lookIn(LOOK_MS);
    } catch (error) {
      if (this.over.signal.aborted || isSessionReplaced()) return;
      if (!this.isFailing) this.onProblem(problemOf(error));
      this.isFailing = true;
      this.lookIn(LOOK_AGAIN_MS);
    } finally {
      this.isLooking = false;
    }
  }
}
