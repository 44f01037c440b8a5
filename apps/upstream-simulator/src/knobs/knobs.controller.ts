import type { FastifyInstance } from 'fastify';
import type { Limits } from '../send-message/limit.policy.js';
import type { Knobs } from './knobs.entity.js';
import type { KnobsRepository } from './knobs.repository.js';

/**
 * `GET`, `PUT` (partial) and `DELETE /_sim/knobs`, and `PUT /_sim/knobs/reset`; each answers the knobs as they are then.
 *
 * @param onChange is awaited before the answer, so that a knob has taken effect when the answer arrives.
 */
export function knobsRoutes(
  app: FastifyInstance,
  knobs: KnobsRepository,
  limits: Limits,
  onChange: (knobs: Knobs) => Promise<void>,
): void {
  const reset = async (): Promise<Knobs> => {
    limits.reset();
    await onChange(knobs.reset());
    return knobs.current;
  };
  app.get('/_sim/knobs', () => knobs.current);
  app.put('/_sim/knobs', async (request) => {
    await onChange(knobs.change(request.body));
    return knobs.current;
  });
  app.put('/_sim/knobs/reset', reset);
  app.delete('/_sim/knobs', reset);
}
