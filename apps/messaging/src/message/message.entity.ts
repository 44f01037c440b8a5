import type { MessageStatus, MessageTemplate } from '@switchboard/contracts/messaging/message-facts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message as it is stored; what the outside sees is `messageView`. */
@Entity({ name: 'message' })
export class Message {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  readonly organizationId!: string;

  @PrimaryColumn({ type: 'text' })
  readonly id!: string;

  @Column({ name: 'conversation_id', type: 'text' })
  readonly conversationId!: string;

  @Column({ name: 'contact_id', type: 'text' })
  readonly contactId!: string;

  @Column({ name: 'channel_id', type: 'text' })
  readonly channelId!: string;

  @Column({ type: 'text' })
  readonly direction!: 'OUTBOUND' | 'INBOUND';

  @Column({ type: 'text' })
  readonly type!: 'TEXT' | 'TEMPLATE' | 'UNSUPPORTED';

  @Column({ name: 'unsupported_type', type: 'text', nullable: true })
  readonly unsupportedType!: string | null;

  @Column({ type: 'text', nullable: true })
  readonly text!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  readonly template!: MessageTemplate | null;

  @Column({ name: 'client_reference', type: 'text', nullable: true })
  readonly clientReference!: string | null;

  /** Null stands for none. */
  @Column({ type: 'jsonb', nullable: true })
  readonly metadata!: Readonly<Record<string, string>> | null;

  @Column({ name: 'job_id', type: 'text', nullable: true })
  readonly jobId!: string | null;

  @Column({ name: 'recipient_index', type: 'integer', nullable: true })
  readonly recipientIndex!: number | null;

  @Column({ type: 'text' })
  readonly status!: MessageStatus;

  @Column({ name: 'upstream_message_id', type: 'text', nullable: true })
  readonly upstreamMessageId!: string | null;

  @Column({ name: 'error_code', type: 'text', nullable: true })
  readonly errorCode!: string | null;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  readonly errorMessage!: string | null;

  @Column({ name: 'attempted_at', type: 'timestamptz', nullable: true })
  readonly attemptedAt!: Date | null;

  @Column({ name: 'sent_at', type: 'timestamptz', nullable: true })
  readonly sentAt!: Date | null;

  @Column({ name: 'delivered_at', type: 'timestamptz', nullable: true })
  readonly deliveredAt!: Date | null;

  @Column({ name: 'read_at', type: 'timestamptz', nullable: true })
  readonly readAt!: Date | null;

  @Column({ name: 'failed_at', type: 'timestamptz', nullable: true })
  readonly failedAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  readonly traceparent!: string | null;
}
