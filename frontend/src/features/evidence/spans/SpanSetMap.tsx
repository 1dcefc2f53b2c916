/** A map of the calls between services in these spans. */
import { useMemo } from 'react';
import { ServiceMap, type MapCall, type MapService } from '../../../charts/map/ServiceMap';
import { formatCount, formatRatio, formatValue } from '../../../engine/format/format';
import { countOf } from '../../../ui';
import type { Edge, SpanSets } from './span-types';

const TONES = {
  noise: 'noise',
  more: 'more',
  'only-candidate': 'more',
  less: 'less',
  'only-base': 'less',
} as const;

export default function SpanSetMap({ sets }: { sets: SpanSets }) {
  const services = useMemo(() => servicesOf(sets), [sets]);
  const calls = useMemo(() => sets.edges.map(callOf), [sets]);
  return <ServiceMap services={services} calls={calls} label="Service calls, in request order" />;
}

function servicesOf(sets: SpanSets): MapService[] {
  const known = new Map(sets.services.map((each) => [each.service, each]));
  const names = [...new Set([...sets.order, ...known.keys()])];
  return names.map((name) => {
    const service = known.get(name);
    const words = service
      ? `p99 ${formatValue(service.p99_ns, 'ns')}${service.errors > 0 ? `, ${countOf(service.errors, 'error')}` : ''}`
      : '';
    return { id: name, name, words, failed: (service?.errors ?? 0) > 0 };
  });
}

function callOf(edge: Edge): MapCall {
  const sides = [edge.base, edge.candidate].filter((side) => side !== null);
  const ratios = sides.map(({ ratio }) => formatRatio(ratio));
  const words = new Set(ratios).size > 1 ? ratios.join(' to ') : (ratios[0] ?? '');
  const calls = sides.map((side) => formatCount(side.calls)).join(' and ');
  return {
    from: edge.caller,
    to: edge.callee,
    words,
    title: `${edge.caller} calls ${edge.callee}: ${words} per request, ${calls} calls`,
    tone: TONES[edge.state],
  };
}
