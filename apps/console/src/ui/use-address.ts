import { useNavigate, useSearch } from '@tanstack/react-router';

type Kept<Name extends string> = Readonly<Record<Name, string | null>>;

/**
 * What of a page its address keeps, so that a link, a reload and Back show it again: filters that are chosen. What is typed into a
 * search field stays out of it: it names people, and addresses are logged, listed and sent.
 *
 * @returns what the address has, which anybody may have written; and how to change some of it, null for none
 */
export function useAddress<Name extends string>(
  names: readonly Name[],
): readonly [Kept<Name>, (change: Partial<Kept<Name>>) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const kept = Object.fromEntries(names.map((name) => [name, textOf(search[name])])) as Kept<Name>;
  const keep = (change: Partial<Kept<Name>>): void => {
    const given = Object.entries(change).map(([name, value]) => [name, value === null ? undefined : value]);
    // The router's types do not see the pages, nor what their addresses keep.
    const target = {
      to: '.',
      search: (now: object) => ({ ...now, ...Object.fromEntries(given) }),
      replace: true,
      resetScroll: false,
    } as unknown as { to: '.' };
    void navigate(target);
  };
  return [kept, keep];
}

/** A value as the router has read it: it takes `2026` for a number. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
