import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type CSSProperties, type ReactElement, type ReactNode } from 'react';

/**
 * A long list of which only what is seen is in the page. Rows measure themselves; `onEnd` is called when the last ones are near.
 */
export function VirtualList<Item>({
  label,
  items,
  keyOf,
  rowHeightPx,
  style,
  onEnd,
  children,
}: {
  /** What it lists, for screen readers. */
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Before a row was measured. */
  readonly rowHeightPx: number;
  /** Must give it a height. */
  readonly style?: CSSProperties;
  readonly onEnd?: () => void;
  readonly children: (item: Item, index: number) => ReactNode;
}): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeightPx,
    overscan: 8,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - 5 && items.length > 0) onEnd?.();
  }, [last, items.length, onEnd]);
  return (
    <div ref={frame} style={{ overflowY: 'auto', ...style }} tabIndex={0} role="list" aria-label={label}>
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {shown.map(({ index, key, start }) => {
          const item = items[index];
          return item === undefined ? null : (
            <div
              key={key}
              role="listitem"
              data-index={index}
              ref={rows.measureElement}
              style={{ position: 'absolute', insetInline: 0, top: 0, transform: `translateY(${start}px)` }}
            >
              {children(item, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
