/** Series over the same builds, one below the other, with one chosen build for all of them. */
import { useState, type ReactNode } from 'react';
import type { BuildSeries, BuildSeriesPage } from '../../../api';
import {
  BuildSeriesChart,
  ChartPicture,
  type BuildSeriesStep,
  type SeriesLimit,
} from '../../../charts';
import { formatRatio, formatValue } from '../../../engine/format/format';
import { EmptyState, StateIcon, Timestamp } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import { PickedBuilds, togglePick, type ComparePair } from './PickedBuilds';
import classes from './regressions.module.css';
import { VERDICT_LABELS, kindText, seriesName } from './regression-wording';

type PanelProps = {
  page: BuildSeriesPage;
  link: (build_id: string, words: ReactNode) => ReactNode;
  /** Opens a build that is clicked; without it, two clicked builds can be compared. */
  onOpen?: (build_id: string) => void;
  compareLink?: ComparePair;
  /** Text beside the name of a series, and its actions. */
  aside?: (series: BuildSeries) => ReactNode;
  /** The limits that users set for a series, in its unit. */
  limits?: (series: BuildSeries) => SeriesLimit[];
  /** Text of the empty panel: what is needed before anything is drawn. */
  empty?: string;
};

const EMPTY = 'No series yet: at least a few measured builds are needed.';

export function SeriesPanel(props: PanelProps) {
  const { page, link, onOpen, compareLink, aside, limits, empty = EMPTY } = props;
  const { builds, series } = page;
  const [chosen, setChosen] = useState<number | null>(null);
  const [picked, setPicked] = useState<string[]>([]);
  if (builds.length === 0 || series.length === 0) return <EmptyState>{empty}</EmptyState>;
  const at = chosen === null ? null : Math.min(chosen, builds.length - 1);
  const marked = picked.map((id) => builds.findIndex((each) => each.id === id));
  return (
    <>
      <SelectedBuild page={page} at={at} link={link} />
      {compareLink && (
        <PickedBuilds
          builds={builds}
          picked={picked}
          link={link}
          compareLink={compareLink}
          onClear={() => setPicked([])}
        />
      )}
      {series.map((one, place) => (
        <div key={`${one.kind} ${one.subject}`} className={classes.series}>
          <div className={classes.seriesHead}>
            <b title={one.subject}>{seriesName(one)}</b>
            <span className="muted">{kindText(one.kind)}</span>
            {at !== null && <span>{valueText(one, at)}</span>}
            <span className="grow" />
            {one.minimum_detectable_effect !== null && (
              <span className="muted">{`minimum detectable change: ${formatRatio(one.minimum_detectable_effect)}`}</span>
            )}
            {aside?.(one)}
          </div>
          {one.trend && <p className={`${classes.trend} muted`}>{one.trend.sentence}</p>}
          <ChartPicture name={`${seriesName(one)} over builds`}>
            <BuildSeriesChart
              label={`${seriesName(one)} over ${builds.length} builds`}
              unit={one.unit}
              builds={builds.map(({ commit }) => shortCommit(commit))}
              values={one.values}
              low={one.low}
              high={one.high}
              levels={one.levels}
              trend={one.trend?.values}
              steps={one.change_points.map(stepOf)}
              chosen={at}
              marked={marked}
              limits={limits?.(one)}
              height={place === 0 ? 120 : 60}
              onChoose={setChosen}
              onOpen={(index) => {
                const build = builds[index];
                if (!build) return;
                if (onOpen) onOpen(build.id);
                else if (compareLink) setPicked(togglePick(picked, build.id));
              }}
            />
          </ChartPicture>
        </div>
      ))}
    </>
  );
}

const stepOf = (point: BuildSeries['change_points'][number]): BuildSeriesStep => ({
  index: point.index,
  lowIndex: point.low_index,
  highIndex: point.high_index,
  tone: point.cause === 'conditions' ? 'quiet' : point.after > point.before ? 'more' : 'less',
});

function valueText({ values, low, high, unit }: BuildSeries, at: number): string {
  const value = values[at];
  if (value === null || value === undefined) return 'no value';
  const between = [low[at], high[at]];
  const [from, to] = between;
  if (from == null || to == null || from === to) return formatValue(value, unit);
  return `${formatValue(value, unit)} (${formatValue(from, unit)} to ${formatValue(to, unit)})`;
}

function SelectedBuild({
  page: { builds },
  at,
  link,
}: {
  page: BuildSeriesPage;
  at: number | null;
  link: PanelProps['link'];
}) {
  const build = at === null ? undefined : builds[at];
  if (!build)
    return (
      <p className={`${classes.chosen} muted`}>
        {builds.length} builds, oldest on the left; point at one, or use the arrow keys on a series
      </p>
    );
  const [glyph, word] = VERDICT_LABELS[build.verdict];
  return (
    <p className={classes.chosen} aria-live="polite">
      <span className="mono">{link(build.id, shortCommit(build.commit))}</span>
      {build.label && <span>{build.label}</span>}
      <Timestamp at={build.ordered_at} exact />
      <StateIcon glyph={glyph}>{word}</StateIcon>
      <span className="muted">{build.conditions}</span>
    </p>
  );
}
