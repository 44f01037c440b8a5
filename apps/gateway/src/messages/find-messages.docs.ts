import { FindMessagesQuery } from './find-messages.query.js';

/** What `GET /v1/messages` and its twin of the application take and answer. */
export const findMessagesDocs = {
  operationId: 'findMessages',
  tag: 'Messages',
  summary: 'List messages',
  description:
    'Inbound and outbound, newest first. Filters are combined with AND. A filter by an unknown id gives an empty list. A walk ' +
    'shows no message twice, and those that it began with whatever happens to them meanwhile, unless a filter by `status` has left them.',
  query: FindMessagesQuery,
  answers: { 200: { description: 'A page of messages.', body: { pageOf: 'Message' } } },
} as const;
