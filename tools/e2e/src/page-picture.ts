import type { Page } from 'playwright-core';
import { snapshotOf, type PaintedNode, type Rectangle, type TextLine } from './page-snapshot.js';

const SANS = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";
const MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";
/** Share of a line's height that is above its base line, in fonts of the screen. */
const ASCENT = 0.79;
const NO_BREAK_SPACE = '\u00A0';
const HINT_COLOR = '#868e96';
/** Attributes of shapes; colors come from the computed style. */
const shapeAttributes = [
  'd',
  'cx',
  'cy',
  'r',
  'rx',
  'ry',
  'x',
  'y',
  'x1',
  'y1',
  'x2',
  'y2',
  'width',
  'height',
  'points',
];

interface Painting {
  readonly node: PaintedNode;
  readonly clip: Rectangle;
  readonly opacity: number;
}

/**
 * The visible part of a page as an SVG: rectangles, lines of text and icons where Chromium painted them, one element a line.
 *
 * It holds no script, no style sheet and no reference to anything outside of it; texts keep their widths in whatever font the
 * reader's system has.
 */
export async function pictureOf(page: Page, title: string): Promise<string> {
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 860 };
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
  const whole: Rectangle = { left: 0, top: 0, right: width, bottom: height };
  const paintings = new Map<PaintedNode, Painting>();
  for (const node of await snapshotOf(page)) {
    const over = node.parent && paintings.get(node.parent);
    const isCutting = !['visible', ''].includes(node.parent?.style('overflow-x') ?? '');
    paintings.set(node, {
      node,
      clip: isCutting && node.parent ? overlap(over?.clip ?? whole, node.parent.at) : (over?.clip ?? whole),
      opacity: (over?.opacity ?? 1) * (node.lines.length > 0 ? 1 : Number(node.style('opacity') || 1)),
    });
  }
  const drawn = [...paintings.values()]
    .toSorted((one, other) => one.node.paintOrder - other.node.paintOrder)
    .flatMap(elementsOf);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="${SANS}">`,
    `  <title>${escaped(title)}</title>`,
    ...drawn.map((line) => `  ${line}`),
    `  <rect ${attributes({ x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 8, fill: 'none', stroke: '#ced4da' })}/>`,
    '</svg>',
    '',
  ].join('\n');
}

function elementsOf(painting: Painting): readonly string[] {
  const { node, clip, opacity } = painting;
  if (opacity < 0.02 || node.style('visibility') === 'hidden' || isWithinIcon(node)) return [];
  if (isEmpty(overlap(node.at, clip))) return [];
  if (node.lines.length > 0) return node.lines.flatMap((line) => textOf(painting, line));
  return [...boxOf(painting), ...(node.name === 'svg' ? iconOf(node) : []), ...fieldTextOf(painting)];
}

/** What a field of text holds, or the hint in it: Chromium keeps both from the snapshot's lines. */
function fieldTextOf({ node, clip, opacity }: Painting): readonly string[] {
  const hint = node.attributes.get('placeholder');
  const text = node.typed || hint;
  if (hint === undefined || text === undefined || isEmpty(overlap(node.at, clip))) return [];
  const size = Number.parseFloat(node.style('font-size'));
  const line = attributes({
    x: node.at.left + Number.parseFloat(node.style('padding-left')),
    y: (node.at.top + node.at.bottom) / 2 + size * 0.35,
    'font-size': size,
    ...(node.typed === '' ? { fill: HINT_COLOR } : paint('fill', node.style('color'), opacity)),
  });
  return [`<text ${line}>${escaped(text)}</text>`];
}

function isWithinIcon({ parent }: PaintedNode): boolean {
  return parent !== undefined && (parent.name === 'svg' || isWithinIcon(parent));
}

/** The ground and the borders of a box. */
function boxOf({ node, clip, opacity }: Painting): readonly string[] {
  const { left, top, right, bottom } = onPixels(overlap(node.at, clip));
  const size = { width: right - left, height: bottom - top };
  const sides = (['top', 'right', 'bottom', 'left'] as const).map((side) => ({
    width: Number.parseFloat(node.style(`border-${side}-width`)) || 0,
    color: node.style(`border-${side}-color`),
  }));
  const [first] = sides;
  const isFramed = sides.every(({ width, color }) => width > 0 && width === first?.width && color === first.color);
  const border = isFramed && first ? paint('stroke', first.color, opacity) : {};
  const ground = paint('fill', node.style('background-color'), opacity);
  const inset = 'stroke' in border ? (first?.width ?? 0) / 2 : 0;
  const radius = node.style('border-top-left-radius');
  const share = radius.endsWith('%') ? size.height / 100 : 1;
  const rx = Math.min(Number.parseFloat(radius) * share || 0, size.height / 2, size.width / 2);
  const at = { x: left + inset, y: top + inset, width: size.width - 2 * inset, height: size.height - 2 * inset };
  const rect = { ...at, rx: Math.max(0, rx - inset), ...('fill' in ground ? ground : { fill: 'none' }), ...border };
  const elements = 'fill' in ground || 'stroke' in border ? [`<rect ${attributes(rect)}/>`] : [];
  if (isFramed) return elements;
  const edges = [
    { x: left, y: top, width: size.width, height: sides[0]?.width ?? 0 },
    { x: right - (sides[1]?.width ?? 0), y: top, width: sides[1]?.width ?? 0, height: size.height },
    { x: left, y: bottom - (sides[2]?.width ?? 0), width: size.width, height: sides[2]?.width ?? 0 },
    { x: left, y: top, width: sides[3]?.width ?? 0, height: size.height },
  ];
  for (const [index, edge] of edges.entries()) {
    const color = paint('fill', sides[index]?.color ?? '', opacity);
    if (edge.width > 0 && edge.height > 0 && 'fill' in color)
      elements.push(`<rect ${attributes({ ...edge, ...color })}/>`);
  }
  return elements;
}

/** A line of text; one that is cut off ends as the browser ends it. */
function textOf({ node, clip, opacity }: Painting, { text, at }: TextLine): readonly string[] {
  const seen = overlap(at, clip);
  if (isEmpty(seen) || seen.bottom - seen.top < (at.bottom - at.top) / 2 || text.trim() === '') return [];
  const share = (seen.right - at.left) / (at.right - at.left);
  const shown = share > 0.99 ? text : `${text.slice(0, Math.max(1, Math.floor(text.length * share) - 1))}…`;
  const weight = node.style('font-weight');
  const decoration = node.parent?.style('text-decoration-line') ?? 'none';
  const line = attributes({
    x: at.left,
    y: at.top + (at.bottom - at.top) * ASCENT,
    'font-size': Number.parseFloat(node.style('font-size')),
    ...(weight === '400' ? {} : { 'font-weight': weight }),
    ...(node.style('font-family').includes('monospace') ? { 'font-family': MONO } : {}),
    ...(decoration === 'none' ? {} : { 'text-decoration': decoration }),
    ...paint('fill', node.style('color'), opacity),
    textLength: seen.right - at.left,
    lengthAdjust: 'spacingAndGlyphs',
  });
  // A space at an end would be dropped, and its width given to the letters.
  return [`<text ${line}>${escaped(shown.replaceAll(/^ | $/g, NO_BREAK_SPACE))}</text>`];
}

/** An icon: its shapes in a frame of its own. */
function iconOf(node: PaintedNode): readonly string[] {
  const { left, top, right, bottom } = node.at;
  const size = { width: right - left, height: bottom - top };
  const frame = {
    x: left,
    y: top,
    ...size,
    viewBox: node.attributes.get('viewBox') ?? `0 0 ${size.width} ${size.height}`,
    'stroke-linecap': node.attributes.get('stroke-linecap') ?? 'butt',
    'stroke-linejoin': node.attributes.get('stroke-linejoin') ?? 'miter',
    ...paintOfShape(node),
  };
  const shapes = shapesOf(node, JSON.stringify(paintOfShape(node)));
  return shapes.length === 0 ? [] : [`<svg ${attributes(frame)}>${shapes.join('')}</svg>`];
}

function shapesOf(node: PaintedNode, inherited: string): readonly string[] {
  return node.children.flatMap((child) => {
    const own = paintOfShape(child);
    const color = JSON.stringify(own) === inherited ? {} : own;
    const kept = shapeAttributes.flatMap((name) => {
      const value = child.attributes.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    // The empty square that icons are drawn on.
    if (own.fill === 'none' && own.stroke === 'none') return shapesOf(child, inherited);
    if (kept.length === 0) return shapesOf(child, inherited);
    return [`<${child.name} ${attributes({ ...Object.fromEntries(kept), ...color })}/>`];
  });
}

function paintOfShape(node: PaintedNode): Readonly<Record<string, string | number>> {
  const stroke = paint('stroke', node.style('stroke'), 1);
  return {
    fill: 'none',
    ...paint('fill', node.style('fill'), 1),
    ...('stroke' in stroke
      ? { ...stroke, 'stroke-width': Number.parseFloat(node.style('stroke-width')) }
      : { stroke: 'none' }),
  };
}

/** A color of the page as attributes; none for a transparent one. */
function paint(what: 'fill' | 'stroke', color: string, opacity: number): Readonly<Record<string, string | number>> {
  const [red, green, blue, alpha = 1] = (/^rgba?\((.*)\)$/.exec(color)?.[1] ?? '').split(/[ ,/]+/).map(Number);
  if (red === undefined || green === undefined || blue === undefined || alpha * opacity < 0.01) return {};
  const hex = [red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('');
  const seen = Math.round(alpha * opacity * 100) / 100;
  return { [what]: `#${hex}`, ...(seen < 1 ? { [`${what}-opacity`]: seen } : {}) };
}

/** Edges where the browser paints them: on whole pixels. */
function onPixels({ left, top, right, bottom }: Rectangle): Rectangle {
  return { left: Math.round(left), top: Math.round(top), right: Math.round(right), bottom: Math.round(bottom) };
}

function overlap(one: Rectangle, other: Rectangle): Rectangle {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}

/** Whether nothing of it is to be seen; texts for screen readers are one pixel large. */
function isEmpty({ left, top, right, bottom }: Rectangle): boolean {
  return right - left < 2 && bottom - top < 2 ? true : right <= left || bottom <= top;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .filter(([name, value]) => name !== 'rx' || value !== 0)
    .map(([name, value]) => `${name}="${typeof value === 'number' ? Math.round(value * 10) / 10 : escaped(value)}"`)
    .join(' ');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
