import type { Page } from 'playwright-core';

/** Computed styles that a picture needs. */
const styleNames = [
  'background-color',
  'border-top-width',
  'border-right-width',
  'border-bottom-width',
  'border-left-width',
  'border-top-color',
  'border-right-color',
  'border-bottom-color',
  'border-left-color',
  'border-top-left-radius',
  'color',
  'font-size',
  'font-weight',
  'font-family',
  'opacity',
  'visibility',
  'overflow-x',
  'padding-left',
  'text-decoration-line',
  'fill',
  'stroke',
  'stroke-width',
] as const;

/** A computed style of a painted node. */
export type StyleName = (typeof styleNames)[number];

/** A rectangle in pixels of the page. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A line of text where it is painted. */
export interface TextLine {
  readonly text: string;
  readonly at: Rectangle;
}

/** A node of the page with its place, its style and what it is painted over. */
export interface PaintedNode {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** What is written into a field. */
  readonly typed: string;
  readonly parent: PaintedNode | undefined;
  readonly children: PaintedNode[];
  readonly at: Rectangle;
  readonly style: (name: StyleName) => string;
  readonly lines: readonly TextLine[];
  readonly paintOrder: number;
}

/** What Chromium has painted of a page, in the order of the document. */
export async function snapshotOf(page: Page): Promise<readonly PaintedNode[]> {
  const session = await page.context().newCDPSession(page);
  const { documents, strings } = await session.send('DOMSnapshot.captureSnapshot', {
    computedStyles: [...styleNames],
    includePaintOrder: true,
  });
  await session.detach();
  const [document] = documents;
  if (!document) throw new Error('the page has no document');
  const { nodes, layout, textBoxes } = document;
  const word = (index = -1): string => strings[index] ?? '';
  const lines = new Map<number, TextLine[]>();
  for (const [index, owner] of textBoxes.layoutIndex.entries()) {
    const [start = 0, length = 0] = [textBoxes.start[index], textBoxes.length[index]];
    const text = word(layout.text[owner]).slice(start, start + length);
    lines.set(owner, [...(lines.get(owner) ?? []), { text, at: rectangle(textBoxes.bounds[index]) }]);
  }
  const typed = new Map<number, string>();
  for (const { index, value } of [nodes.inputValue, nodes.textValue].filter((rare) => rare !== undefined)) {
    for (const [at, nodeIndex] of index.entries()) typed.set(nodeIndex, word(value[at]));
  }
  const painted = new Map<number, PaintedNode>();
  for (const [index, nodeIndex] of layout.nodeIndex.entries()) {
    const parent = painted.get(nodes.parentIndex?.[nodeIndex] ?? -1);
    const styles = layout.styles[index] ?? [];
    const node: PaintedNode = {
      name: word(nodes.nodeName?.[nodeIndex]),
      attributes: pairs((nodes.attributes?.[nodeIndex] ?? []).map(word)),
      typed: typed.get(nodeIndex) ?? '',
      parent,
      children: [],
      at: rectangle(layout.bounds[index]),
      // Nodes of text have no styles of their own.
      style: (name) => word(styles[styleNames.indexOf(name)]) || (parent?.style(name) ?? ''),
      lines: lines.get(index) ?? [],
      paintOrder: layout.paintOrders?.[index] ?? 0,
    };
    parent?.children.push(node);
    painted.set(nodeIndex, node);
  }
  return [...painted.values()];
}

function rectangle([left = 0, top = 0, width = 0, height = 0]: readonly number[] = []): Rectangle {
  return { left, top, right: left + width, bottom: top + height };
}

function pairs(words: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (let index = 0; index < words.length; index += 2) map.set(words[index] ?? '', words[index + 1] ?? '');
  return map;
}
