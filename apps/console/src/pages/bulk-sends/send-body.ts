import type { SendTemplateBody, Template } from '../../api/api.generated.js';
import type { MappedRecipient } from './recipients.js';

/** What a bulk send asks of the API. @param options.start null: at once */
export function sendBodyOf(
  template: Template,
  recipients: readonly MappedRecipient[],
  options: { readonly channelId: string; readonly throttle: number | ''; readonly start: Date | null },
): SendTemplateBody {
  const { channelId, throttle, start } = options;
  return {
    templateId: template.id,
    messagingChannelId: channelId,
    recipients: recipients.map(({ to, values }) => ({
      to,
      ...(values.length === 0 ? {} : { variables: variablesOf(template, values) }),
    })),
    ...(throttle === '' ? {} : { throttlePerHour: throttle }),
    ...(start ? { scheduledAt: start.toISOString() } : {}),
  };
}

function variablesOf(
  { parameterFormat, variables }: Template,
  values: readonly string[],
): SendTemplateBody['recipients'][number]['variables'] {
  if (parameterFormat !== 'NAMED') return [...values];
  return Object.fromEntries(values.map((value, index) => [variables[index]?.name ?? '', value]));
}
