import { useParams } from '@tanstack/react-router';

/** The id that the page's path names. @throws Error on a page whose path has none: a bug */
export function usePathId(): string {
  const { id } = useParams({ strict: false }) as { readonly id?: string };
  if (id === undefined) throw new Error('the path of this page has no $id');
  return id;
}
