/**
 * Makes an act of which a second one with the same input begins only when the first has ended: both clicks of a fast double one come
 * before the page has drawn that its button is busy.
 *
 * @param act never rejects
 */
export function onceAtATime<Given>(act: (input: Given) => Promise<unknown>): (input: Given) => void {
  const underWay = new Set<string>();
  return (input) => {
    const key = JSON.stringify(input);
    if (underWay.has(key)) return;
    underWay.add(key);
    void act(input).finally(() => underWay.delete(key));
  };
}
