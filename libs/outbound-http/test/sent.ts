import type { OutboundEnd, OutboundRequest, OutboundSender } from '../src/index.js';

/** Sends a request until it is not `never sent`: a thread that is late, or starts late, sends nothing. */
export async function sent(
  by: OutboundSender,
  url: string,
  more: Partial<Omit<OutboundRequest, 'url'>> = {},
): Promise<OutboundEnd> {
  const end = await by.post({ url, headers: {}, body: Buffer.from('{"n":1}'), ...more });
  return end.state === 'failed' && end.error === 'never sent' ? sent(by, url, more) : end;
}
