import { JOB_RECIPIENTS_MAX } from '@switchboard/contracts/templates/job-rpc';
import type { JsonObject } from '@switchboard/openapi';
import { IsOptional } from 'class-validator';
import { exampleIds } from '../description/example-values.js';
import { About } from '../http/input/field-description.js';
import { codePointsOf, IsCuid, IsMoment, rule } from '../http/input/text.decorator.js';
import { isJsonObject } from '../http/json-body.policy.js';
import type { BodyDocs } from '../http/route-docs.js';
import { recipientLimits, recipientProblem } from './recipient.policy.js';

/** Attempts in an hour that a caller may name. Source: docs/api-behaviour.md#throttle. */
const THROTTLE = { min: 1, max: 1_000_000 };
/** Of a template's name and language. */
const NAME_MAX = 512;

const text = ({ min, max }: { readonly min: number; readonly max: number }): JsonObject => ({
  type: 'string',
  minLength: min,
  maxLength: max,
});

const recipientSchema: JsonObject = {
  type: 'object',
  required: ['to'],
  properties: {
    to: { description: "The recipient's phone, E.164 preferred.", ...text(recipientLimits.to) },
    variables: {
      description: 'Values of the template: an array in the order of its placeholders, or an object by their names.',
      anyOf: [
        { type: 'array', items: text(recipientLimits.variable) },
        { type: 'object', additionalProperties: text(recipientLimits.variable) },
        { type: 'null' },
      ],
    },
    clientReference: {
      description: 'Your own name for the message; shown with it wherever it is shown.',
      ...text(recipientLimits.clientReference),
      type: ['string', 'null'],
    },
    metadata: {
      description: 'Your own notes; shown with the message wherever it is shown.',
      type: ['object', 'null'],
      maxProperties: recipientLimits.metadata.entriesMax,
      propertyNames: { minLength: 1, maxLength: recipientLimits.metadata.nameMax },
      additionalProperties: { type: 'string', maxLength: recipientLimits.metadata.valueMax },
    },
  },
};

const templateSchema: JsonObject = {
  type: 'object',
  required: ['name', 'language'],
  properties: {
    name: { description: 'The name of the template.', ...text({ min: 1, max: NAME_MAX }) },
    language: { description: 'The language of the template, `en_US` for example.', ...text({ min: 1, max: NAME_MAX }) },
  },
};

/** All but the recipients of `POST /v1/templates/send`. */
export class BulkSendFields {
  @About('The template; this or `template`, and not both.')
  @IsOptional()
  @IsCuid()
  templateId: string | null | undefined;

  @About('The template by name and language, of the business account of the channel. This or `templateId`.')
  @IsOptional()
  @rule(
    'templateName',
    `must be an object with \`name\` and \`language\`, each of 1 to ${NAME_MAX} characters`,
    templateSchema,
    isTemplateName,
  )
  template: { readonly name: string; readonly language: string } | null | undefined;

  @About("The channel to send from; left out, the organization's default one.")
  @IsOptional()
  @IsCuid()
  messagingChannelId: string | null | undefined;

  @About("How many attempts in an hour at most, evenly spread; left out, the channel's own rate alone.")
  @IsOptional()
  @rule(
    'throttle',
    `must be a whole number from ${THROTTLE.min} to ${THROTTLE.max}`,
    { type: 'integer', minimum: THROTTLE.min, maximum: THROTTLE.max },
    (value) => Number.isInteger(value) && Number(value) >= THROTTLE.min && Number(value) <= THROTTLE.max,
  )
  throttlePerHour: number | null | undefined;

  @About('When it begins, at most 35 days ahead; left out, at once.')
  @IsOptional()
  @IsMoment()
  scheduledAt: string | null | undefined;
}

/** The body of `POST /v1/templates/send`, which is read as a stream. Source: docs/api-behaviour.md#bulk-sends-create. */
export class SendTemplateBody extends BulkSendFields {
  @About('The recipients. Each has its index, from 0.')
  @rule(
    'recipients',
    `must be an array of 1 to ${JOB_RECIPIENTS_MAX} recipients`,
    { type: 'array', minItems: 1, maxItems: JOB_RECIPIENTS_MAX, items: recipientSchema },
    (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= JOB_RECIPIENTS_MAX &&
      value.every((one) => recipientProblem(one) === null),
  )
  recipients: readonly object[] = [];
}

/** By name first: the templates of a local run have these names, and their ids are different in each copy. */
const bodies = {
  positional: {
    template: { name: 'order_confirmation', language: 'en_US' },
    recipients: [
      { to: '+14155550123', variables: ['Ada', '4711'], clientReference: 'order-4711' },
      { to: '+14155550124', variables: ['Grace', '4712'], metadata: { campaign: 'spring' } },
    ],
  },
  named: {
    template: { name: 'appointment_reminder', language: 'en_US' },
    recipients: [{ to: '+14155550123', variables: { first_name: 'Ada', date: '4 February' } }],
    throttlePerHour: 3_600,
  },
  byId: {
    templateId: exampleIds.template,
    recipients: [{ to: '+14155550123', variables: ['Ada', '4711'] }],
    messagingChannelId: exampleIds.channel,
    scheduledAt: '2026-02-04T09:00:00Z',
  },
};

const isText = { type: 'string' };

/** The body in the description. */
export const sendTemplateBody: BodyDocs<SendTemplateBody> = {
  shape: SendTemplateBody,
  examples: bodies,
  rule: {
    words: 'Exactly one of `templateId` and `template` is given.',
    schema: {
      oneOf: [
        { required: ['templateId'], properties: { templateId: isText } },
        { required: ['template'], properties: { template: { type: 'object' } } },
      ],
    },
    problemOf: templateProblem,
  },
};

/** Exactly one of the two names of a template. */
export function templateProblem({ templateId = null, template = null }: BulkSendFields): string | null {
  return (templateId === null) === (template === null)
    ? 'Exactly one of `templateId` and `template` must be given'
    : null;
}

function isTemplateName(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return ['name', 'language'].every((field) => {
    const one = Object.hasOwn(value, field) ? value[field] : undefined;
    return typeof one === 'string' && one !== '' && one.length <= NAME_MAX * 2 && codePointsOf(one) <= NAME_MAX;
  });
}
