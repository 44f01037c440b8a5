import { subscribableEvents, type SubscribableEvent } from '@switchboard/contracts/webhooks/http';
import { ArrayMaxSize, ArrayNotEmpty, IsIn, IsOptional } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { CodePoints, OneLine } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

const URL_LENGTH_MAX = 2_048;
const DESCRIPTION_LENGTH_MAX = 256;
const aboutUrl =
  'Where events are sent: https://, public, at most 2,048 characters, without white space, user information and a dot at the ' +
  'end of its name. Every address that the name resolves to is judged, here and at each connection.';
const aboutEvents = 'The events that are sent, at least one; `webhook.test` is sent by hand only.';

/** The body of `POST /app/api/webhooks`. Source: docs/api-behaviour.md#webhooks-manage, docs/api-behaviour.md#webhooks-url. */
export class CreateWebhookBody {
  @About(aboutUrl)
  @CodePoints(1, URL_LENGTH_MAX)
  url = '';

  @About(aboutEvents)
  @IsIn(subscribableEvents, { each: true })
  @ArrayNotEmpty()
  @ArrayMaxSize(subscribableEvents.length)
  events: readonly SubscribableEvent[] = [];

  @About('What it is for, in your own words.')
  @IsOptional()
  @OneLine()
  @CodePoints(1, DESCRIPTION_LENGTH_MAX)
  description: string | null | undefined;
}

/** The body of `PATCH /app/api/webhooks/{id}`. Source: docs/api-behaviour.md#webhooks-manage. */
export class ChangeWebhookBody {
  @About(`${aboutUrl} Pending deliveries go to the changed URL.`)
  @IsOptional()
  @CodePoints(1, URL_LENGTH_MAX)
  url: string | null | undefined;

  @About(aboutEvents)
  @IsOptional()
  @IsIn(subscribableEvents, { each: true })
  @ArrayNotEmpty()
  @ArrayMaxSize(subscribableEvents.length)
  events: readonly SubscribableEvent[] | null | undefined;

  @About('What it is for; null clears it.')
  @IsOptional()
  @OneLine()
  @CodePoints(1, DESCRIPTION_LENGTH_MAX)
  description: string | null | undefined;
}

const url = 'https://hooks.example.org/switchboard';

/** The body of a registration in the description. */
export const createWebhookBody: BodyDocs = {
  shape: CreateWebhookBody,
  examples: { inbox: { url, events: ['message.received', 'message.failed'], description: 'Inbox of the shop' } },
};

/** The body of a change in the description. */
export const changeWebhookBody: BodyDocs = {
  shape: ChangeWebhookBody,
  examples: { move: { url: `${url}/v2` }, narrow: { events: ['message.received'], description: null } },
};
