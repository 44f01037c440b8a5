/** Sets an entry as the last of a map, which forgets those that were set longest ago beyond so many. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, entriesMax: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= entriesMax) break;
    map.delete(oldest);
  }
}
