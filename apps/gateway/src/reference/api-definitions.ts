import type { AuditEntryView } from '@switchboard/contracts/gateway/http';
import type { RecipientView } from '@switchboard/contracts/templates/job-http';
import { cuidFloor, cuidPattern } from '@switchboard/contracts/grammar/cuid';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import type { ApiDefinition, DescribedShapes, JsonSchema, Refusals } from '@switchboard/openapi';
import { appApi } from '../description/app-api.js';
import { vocabularies } from '../description/enum-words.js';
import { viewExamples } from '../description/examples.js';
import { headerComponents, requestHeaderParameters } from '../description/headers.js';
import { introductionOf } from '../description/introduction.js';
import { peopleExamples } from '../description/people-examples.js';
import { publicApi } from '../description/public-api.js';
import { eventStreamExample, webhookViewExamples } from '../description/webhook-view-examples.js';
import { webhookParameters, webhooks } from '../description/webhooks.js';
import { httpLimits } from '../http/request-limits.policy.js';
import { refusalHeaders } from './answer-headers.policy.js';
import { unroutedErrors } from './general-errors.policy.js';

/** Schemas of answers, by their public names. */
export type Views = Readonly<Record<string, JsonSchema>>;

/** The API under /v1. @param views what answers refer to */
export function publicDefinition(views: Views): ApiDefinition {
  return {
    ...publicApi,
    ...conventions(views),
    introduction: introductionOf(httpLimits),
    webhooks,
    parameters: { ...webhookParameters, ...requestHeaderParameters },
    unrouted: unroutedOf('key'),
  };
}

/** The application's API under /app/api. @param views what answers refer to */
export function appDefinition(views: Views): ApiDefinition {
  return { ...appApi, ...conventions(views), parameters: requestHeaderParameters, unrouted: unroutedOf('session') };
}

/** What is the same in both. */
function conventions(schemas: Views): Pick<ApiDefinition, 'headers' | 'shapes' | 'pathParameter' | 'vocabularies'> {
  return { headers: headerComponents, shapes: shapesOf(schemas), pathParameter, vocabularies };
}

function shapesOf(schemas: Views): DescribedShapes {
  return {
    schemas,
    examples: { ...viewExamples, ...peopleExamples, ...webhookViewExamples, EventStream: eventStreamExample },
    pageCursorOf,
  };
}

function unroutedOf(access: 'key' | 'session'): Refusals {
  return {
    errors: unroutedErrors,
    sentences: { VALIDATION_FAILED: 'The path is not well-formed: its percent-encoding is wrong' },
    headersOf: (status) => refusalHeaders(status, access),
  };
}

/** Every parameter of a path is an id of what the segment before it names. */
function pathParameter(segment: string, name: string): ReturnType<ApiDefinition['pathParameter']> {
  const description = `The id of the ${segment === 'send' ? 'bulk send' : singularOf(segment)}.`;
  return { name, schema: { description, type: 'string', format: 'cuid', pattern: cuidPattern } };
}

function singularOf(segment: string): string {
  return segment.replace(/ies$/, 'y').replace(/s$/, '');
}

/** Random characters of an id. */
const MARK_LENGTH = 16;

type CursorFields = Partial<
  Pick<ConversationView, 'id' | 'lastMessageAt'> & Pick<AuditEntryView, 'sequence'> & Pick<RecipientView, 'index'>
>;

/** The position of an item in its list. Source: docs/api-behaviour.md#cursors. */
function pageCursorOf(item: object): string | undefined {
  const { id, lastMessageAt, sequence, index } = item as CursorFields;
  if (sequence !== undefined) return `c${sequence.toString(36).padStart(10, '0')}`;
  if (index !== undefined) return `c${index.toString(36).padStart(8, '0')}`;
  return id !== undefined && lastMessageAt ? cuidFloor(new Date(lastMessageAt)) + id.slice(-MARK_LENGTH) : id;
}
