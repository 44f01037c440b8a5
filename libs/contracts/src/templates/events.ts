import { defineEvent } from '../grammar/define-event.js';
import type { TemplateStatus, TemplateView } from './http.js';

/**
 * The upstream approved, rejected, paused or disabled a template that was known before.
 *
 * @aggregate template
 */
export const templateStatusUpdated = defineEvent<{
  readonly template: TemplateView;
  readonly previousStatus: TemplateStatus;
}>('templates', 'template.status-updated', 1);
