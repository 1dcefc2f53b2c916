/**
 * The source of a function at the commits of both sides, with the cost of each line. Text is never
 * parsed as HTML.
 */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FunctionMove, FunctionSource, FunctionSources } from '../../../../api';
import { visibleName } from '../../../../engine/flame/frame-label';
import { columnScale, unitOf, type ColumnScale } from '../../../../engine/format/format';
import { ErrorState, SideMark, SkeletonRows } from '../../../../ui';
import { codeHostLink } from '../../../inventory/repositories';
import classes from './FunctionSourceSides.module.css';
import { sourceQuery } from '../shared/comparison-queries';
import { SOURCE_REASONS, sourceOrigin } from './source-wording';

type SidesProps = {
  comparisonId: string;
  viewId: string;
  name: string;
  scaled: { unit: string; base: number; candidate: number };
};

type SideName = 'base' | 'candidate';
const SIDES: readonly SideName[] = ['base', 'candidate'];

export function FunctionSourceSides({ comparisonId, viewId, name, scaled }: SidesProps) {
  const found = useQuery(sourceQuery({ comparison_id: comparisonId, view_id: viewId }, name));
  if (found.error)
    return (
      <ErrorState
        what="Could not load the source"
        error={found.error}
        action={<Button onClick={() => void found.refetch()}>Try again</Button>}
      />
    );
  if (!found.data) return <SkeletonRows rows={8} height={20} label="Loading the source" />;
  const { data } = found;
  const scale = columnScale(largestOf(data, scaled), unitOf(scaled.unit));
  return (
    <section aria-label={`Source of ${name}`} className={classes.source}>
      <Move functions={data} name={name} />
      <div className={classes.sides}>
        {SIDES.map((side) => (
          <Side key={side} side={side} source={data[side]} factor={scaled[side]} scale={scale} />
        ))}
      </div>
      {data.comparison_url !== null && (
        <p>
          <HostLink url={data.comparison_url}>Compare both commits on the code host</HostLink>
        </p>
      )}
    </section>
  );
}

const largestOf = (data: FunctionSources, scaled: Record<SideName, number>): number =>
  SIDES.flatMap((side) => data[side].lines.map((one) => one.total_value * scaled[side])).reduce(
    (most, one) => Math.max(most, one),
    0,
  );

/**
 * Shows that the function is in another file in the candidate. Older reports do not have this
 * field.
 */
function Move({
  functions: { move },
  name,
}: {
  functions: { move?: FunctionMove | null };
  name: string;
}) {
  if (!move) return null;
  const other = [move.base_function, move.candidate_function].find(
    (each) => each !== null && each !== name,
  );
  return (
    <p className={classes.move}>
      Moved from <bdi className="mono">{visibleName(move.base_path)}</bdi> to{' '}
      <bdi className="mono">{visibleName(move.candidate_path)}</bdi>
      {other != null && (
        <>
          ; the {other === move.base_function ? 'base' : 'candidate'} has it as{' '}
          <bdi className="mono">{visibleName(other)}</bdi>
        </>
      )}
      .
    </p>
  );
}

type SideProps = { side: SideName; source: FunctionSource; factor: number; scale: ColumnScale };

function Side({ side, source, factor, scale }: SideProps) {
  return (
    <div className={classes.side}>
      <p className={classes.head}>
        <SideMark side={side} label />
        <span className="mono">{sourceOrigin(source)}</span>
        {source.path !== null && <bdi className="mono">{source.path}</bdi>}
        {source.url !== null && (
          <HostLink url={source.url}>{codeHostLink(source.url, source.repository?.kind)}</HostLink>
        )}
      </p>
      {source.reason !== null && <p className="muted">{SOURCE_REASONS[source.reason]}</p>}
      {source.lines.length > 0 && (
        <Text side={side} source={source} factor={factor} scale={scale} />
      )}
      {source.commits > 1 && source.origin === 'service' && (
        <p className="muted">
          The newest of {source.commits} commits of this side; lines of the others may differ.
        </p>
      )}
      {source.is_truncated && (
        <p className="muted">The function is longer than the 400 lines shown.</p>
      )}
    </div>
  );
}

/**
 * Shows the functions inlined into a line, after its text. Older reports do not have this field.
 */
function Inlined({ functions: { inlined = [] } }: { functions: { inlined?: string[] } }) {
  if (inlined.length === 0) return null;
  return (
    <span className={classes.inlined} title={inlined.join('\n')}>
      inlined: {inlined.map((name) => visibleName(name)).join(', ')}
    </span>
  );
}

function Text({ side, source, factor, scale }: SideProps) {
  const cost = (value: number) => (value === 0 ? '' : scale.format(value * factor));
  const hasAttributed = source.lines.some((line) => (line.attributed_value ?? null) !== null);
  return (
    <div className={classes.code} tabIndex={0} role="group" aria-label={`Lines of ${side}`}>
      <table className="mono" aria-label={`Source of ${side}`}>
        <thead>
          <tr>
            <th scope="col">Self</th>
            {hasAttributed && <th scope="col">Attributed</th>}
            <th scope="col">Total</th>
            <th scope="col">Line</th>
            <th scope="col">
              <span className="unseen">changed</span>
            </th>
            <th scope="col" className={classes.unit}>
              {scale.name}
            </th>
          </tr>
        </thead>
        <tbody>
          {source.lines.map((line) => (
            <tr key={line.number} className={line.is_changed ? classes[side] : undefined}>
              <td>{cost(line.self_value)}</td>
              {hasAttributed && <td>{cost(line.attributed_value ?? 0)}</td>}
              <td>{cost(line.total_value)}</td>
              <td className="muted">{line.number}</td>
              <td>
                {line.is_changed && (
                  <>
                    <span aria-hidden>{side === 'base' ? '−' : '+'}</span>
                    <span className="unseen">changed</span>
                  </>
                )}
              </td>
              <td className={classes.text}>
                {line.text}
                <Inlined functions={line} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/**
 * A menu entry that links to the lines of a function at the code host, in the candidate if it has
 * them. Shows nothing until they are loaded.
 */
export function CodeHostEntry({ comparisonId, viewId, name }: Omit<SidesProps, 'scaled'>) {
  const found = useQuery({
    ...sourceQuery({ comparison_id: comparisonId, view_id: viewId }, name),
    retry: false,
  }).data;
  const source = [found?.candidate, found?.base].find((side) => side?.url);
  if (!source?.url || !isWebAddress(source.url)) return null;
  return (
    <a role="menuitem" tabIndex={-1} href={source.url} target="_blank" rel="noreferrer noopener">
      {codeHostLink(source.url, source.repository?.kind)}
    </a>
  );
}

const isWebAddress = (url: string): boolean =>
  url.startsWith('https://') || url.startsWith('http://');

function HostLink({ url, children }: { url: string; children: string }) {
  if (!isWebAddress(url)) return null;
  return (
    <a className="link nowrap" href={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
