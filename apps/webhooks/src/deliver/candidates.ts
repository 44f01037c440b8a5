/**
 * The lanes of one sort that a turn locks: organizations take turns from any of them on, and within each its lanes, so that one with many that
 * may begin something keeps no other waiting for the next turn.
 *
 * @param random from 0 to below 1
 */
export function candidatesOf<Lane extends { readonly organizationId: string }>(
  lanes: readonly Lane[],
  max: number,
  random: () => number = Math.random,
): readonly Lane[] {
  if (lanes.length <= max) return lanes;
  const rotated = <Value>(list: readonly Value[]): readonly Value[] => {
    const start = Math.floor(random() * list.length);
    return [...list.slice(start), ...list.slice(0, start)];
  };
  const rings = rotated([...Map.groupBy(lanes, ({ organizationId }) => organizationId).values()]).map(rotated);
  const chosen: Lane[] = [];
  for (let place = 0; chosen.length < max; place++) {
    for (const ring of rings) {
      const lane = ring[place];
      if (lane && chosen.length < max) chosen.push(lane);
    }
  }
  return chosen;
}
