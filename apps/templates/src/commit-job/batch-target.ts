import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { templatesErrors } from '@switchboard/contracts/templates/errors';
import { jobErrors } from '@switchboard/contracts/templates/job-errors';
import type { CommitJobRequest } from '@switchboard/contracts/templates/job-rpc';
import { ChannelRepository, type ProjectedChannel } from '../channel/channel.repository.js';
import type { TemplateRow } from '../template/template-view.js';
import { TemplateRepository } from '../template/template.repository.js';

/** What a batch is sent with, and from where. */
export interface BatchTarget {
  readonly channel: ProjectedChannel;
  readonly template: TemplateRow;
}

/** How far ahead a batch may be scheduled. Source: docs/api-behaviour.md#bulk-sends-create. */
const SCHEDULE_DAYS_MAX = 35;
const MS_PER_DAY = 86_400_000;

/** Finds the channel and the template of a batch. */
@Injectable()
export class BatchTargets {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly templates: TemplateRepository,
  ) {}

  /** @throws CHANNEL_NOT_FOUND, TEMPLATE_NOT_FOUND, UPSTREAM_NOT_CONNECTED, TEMPLATE_NOT_APPROVED, in this order */
  async find(organizationId: string, request: CommitJobRequest): Promise<BatchTarget> {
    const channel = await this.channels.find(organizationId, request.messagingChannelId);
    if (!channel && request.messagingChannelId !== null) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    const template = await this.findTemplate(organizationId, channel, request);
    if (channel?.status !== 'CONNECTED') throw new AppError(messagingErrors.UPSTREAM_NOT_CONNECTED);
    if (!template) throw new AppError(templatesErrors.TEMPLATE_NOT_FOUND);
    if (template.status !== 'APPROVED') {
      const sentence = `The template is ${template.status}; only an APPROVED one can be sent`;
      throw new AppError(jobErrors.TEMPLATE_NOT_APPROVED, sentence);
    }
    return { channel, template };
  }

  /** Without any channel of the organization nothing is connected, and that is what the caller learns. */
  private async findTemplate(
    organizationId: string,
    channel: ProjectedChannel | null,
    { template: wanted }: CommitJobRequest,
  ): Promise<TemplateRow | null> {
    if (!channel) return null;
    const { businessAccountId } = channel;
    if (businessAccountId === null) throw new AppError(templatesErrors.TEMPLATE_NOT_FOUND);
    const template =
      'id' in wanted
        ? await this.templates.find(organizationId, wanted.id)
        : await this.templates.findByName(organizationId, { businessAccountId, ...wanted });
    if (template?.businessAccountId !== businessAccountId) throw new AppError(templatesErrors.TEMPLATE_NOT_FOUND);
    return template;
  }
}

/** @throws VALIDATION_FAILED for a time that has passed or is too far ahead */
export function checkSchedule(scheduledAt: string | null, nowMs: number): void {
  if (scheduledAt === null) return;
  const aheadMs = Date.parse(scheduledAt) - nowMs;
  if (aheadMs > 0 && aheadMs <= SCHEDULE_DAYS_MAX * MS_PER_DAY) return;
  const sentence = `\`scheduledAt\` must be in the future and at most ${SCHEDULE_DAYS_MAX} days ahead`;
  throw new AppError(serviceErrors.VALIDATION_FAILED, sentence);
}
