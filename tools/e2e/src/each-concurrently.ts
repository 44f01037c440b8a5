/** Items under way at once: enough to be quick, too few to be refused for their rate. */
const WIDTH = 8;

/** Works on all items, eight at a time. */
export async function eachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
}
