/** Names by which other APIs call our fields. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  to: ['phone', 'phonenumber', 'recipient', 'recipientphone', 'number', 'destination', 'msisdn', 'receiver', 'contact'],
  text: ['message', 'body', 'content', 'msg', 'messagebody', 'messagetext'],
  phone: ['to', 'phonenumber', 'number', 'msisdn', 'mobile', 'tel', 'telephone'],
  name: ['fullname', 'displayname', 'contactname'],
  email: ['mail', 'emailaddress'],
  password: ['pass', 'passwd', 'secret'],
  label: ['name', 'title'],
  scopes: ['permissions'],
  url: ['uri', 'endpoint', 'callbackurl', 'callback', 'target', 'webhookurl'],
  events: ['eventtypes', 'types', 'topics'],
  since: ['from', 'after'],
  contactId: ['contact', 'id'],
  messagingChannelId: ['channel', 'channelid', 'from', 'sender', 'senderid', 'phonenumberid'],
  status: ['state'],
  snoozedUntil: ['until', 'snoozeuntil', 'snooze'],
  recipients: ['to', 'contacts', 'numbers', 'messages', 'audience'],
  templateId: ['template', 'templateid'],
  template: ['templatename'],
  variables: ['parameters', 'params', 'components', 'values', 'placeholders'],
  throttlePerHour: ['throttle', 'ratelimit', 'rate'],
  scheduledAt: ['sendat', 'scheduleat', 'schedule', 'deliverat'],
  clientReference: ['reference', 'ref', 'externalid', 'clientref'],
  metadata: ['meta', 'tags', 'data', 'custom'],
};
/** Longer than any name that resembles one of ours. */
const NAME_LENGTH_MAX = 40;
/** Unknown fields that are looked at: no form of another API has more, and each is compared with every missing field. */
const UNKNOWN_MAX = 50;

/**
 * Says of each unknown field which missing one was probably meant: by another API's name, another way of writing, or a slip. Of
 * many unknown fields the first are looked at.
 *
 * @param given the names of the fields that came
 * @param known those that the shape has
 * @returns `; ` and a clause each, to be added to a refusal; empty when nothing resembles
 */
export function fieldHints(given: readonly string[], known: readonly string[]): string {
  const missing = known.filter((name) => !given.includes(name));
  const unknown = given.filter((name) => !known.includes(name) && name.length <= NAME_LENGTH_MAX).slice(0, UNKNOWN_MAX);
  const hints = unknown.flatMap((name) => {
    const meant = missing.find((field) => isLikely(name, field));
    return meant === undefined || !/^[\w .-]+$/.test(name)
      ? []
      : [`; \`${name}\` is unknown, did you mean \`${meant}\`?`];
  });
  return hints.slice(0, 3).join('');
}

function isLikely(name: string, field: string): boolean {
  const [written, ours] = [plain(name), plain(field)];
  return written === ours || (otherNames[field]?.includes(written) ?? false) || isSlip(written, ours);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** One letter added, left out, changed, or swapped with its neighbour; a short name resembles too many others. */
function isSlip(written: string, meant: string): boolean {
  if (meant.length < 4 || Math.abs(written.length - meant.length) > 1) return false;
  let start = 0;
  while (start < meant.length && written[start] === meant[start]) start++;
  const [left, expected] = [written.slice(start), meant.slice(start)];
  const isSwapped = left.length > 1 && left.slice(0, 2) === expected.charAt(1) + expected.charAt(0);
  return (
    left.slice(1) === expected ||
    left === expected.slice(1) ||
    left.slice(1) === expected.slice(1) ||
    (isSwapped && left.slice(2) === expected.slice(2))
  );
}
