/** The progress of reading repositories, to find the candidates or to expand the suspect. */
import { Progress } from '@mantine/core';
import type { Bisect } from '../../../../api';
import { Section } from '../../../../ui';
import classes from '../shared/bisects.module.css';

export function PlanProgress({ bisect }: { bisect: Bisect }) {
  const { job } = bisect;
  if (!job) return null;
  const percent = Math.round(job.progress * 100);
  const step = job.state === 'running' ? job.step || 'started' : 'waiting for a worker';
  return (
    <Section>
      <p className={classes.reading} aria-live="polite">
        {bisect.levels.length > 0 && <b>Expanding the suspect </b>}
        <span className="muted">{job.cancel_requested ? 'being cancelled' : step}</span>
      </p>
      <Progress className={classes.read} value={percent} aria-label={`${percent}%`} />
    </Section>
  );
}
