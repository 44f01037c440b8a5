import '@mantine/charts/styles.css';
import { AreaChart, BarChart } from '@mantine/charts';
import type { ReactElement } from 'react';

/** Figures over time. A table of the same figures must be in the page too: a picture has no words for screen readers. */
export function SeriesChart({
  label,
  data,
  series,
  kind,
  height = 260,
}: {
  /** What it shows, for screen readers. */
  readonly label: string;
  readonly data: readonly Readonly<Record<string, string | number>>[];
  readonly series: readonly { readonly name: string; readonly label?: string; readonly color: string }[];
  readonly kind: 'area' | 'bar';
  readonly height?: number;
}): ReactElement {
  const settings = {
    h: height,
    data: data.map((point) => ({ ...point })),
    dataKey: 'start',
    series: [...series],
    withLegend: series.length > 1,
    tickLine: 'none' as const,
    gridAxis: 'x' as const,
    valueFormatter: (value: number) => value.toLocaleString('en'),
  };
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      {kind === 'area' ? <AreaChart {...settings} curveType="monotone" withDots={false} /> : <BarChart {...settings} />}
    </figure>
  );
}
