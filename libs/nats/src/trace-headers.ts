import { context, propagation, type Context } from '@opentelemetry/api';
import { headers, type MsgHdrs } from '@nats-io/transport-node';

/** Headers that carry the active trace (W3C `traceparent`). */
export function traceHeaders(from: Context = context.active()): MsgHdrs {
  const carrier = headers();
  propagation.inject(from, carrier, { set: (target, key, value) => target.set(key, value) });
  return carrier;
}

/** The context of the sender, or the one given when the message carries none. */
export function contextOfHeaders(carrier: MsgHdrs | undefined, base: Context): Context {
  if (!carrier) return base;
  return propagation.extract(base, carrier, {
    get: (source, key) => source.get(key) || undefined,
    keys: (source) => source.keys(),
  });
}
