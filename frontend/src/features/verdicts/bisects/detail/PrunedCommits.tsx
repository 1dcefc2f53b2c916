/**
 * A table of groups of commits that are not candidates, with the reason, and of the number that
 * remains.
 */
import type { BisectLevel } from '../../../../api';
import { countText } from '../../../../ui';
import classes from '../shared/bisects.module.css';
import { nameOf } from './bisect-levels';

export function PrunedCommits({ levels }: { levels: BisectLevel[] }) {
  const groups = levels.flatMap((level) =>
    level.pruned.map((group) => ({ ...group, name: nameOf(level), key: level.key })),
  );
  const left = levels.map(({ candidate_count }) => candidate_count);
  const sum = left.reduce((total, count) => total + count, 0);
  return (
    <table className={classes.pruned}>
      <thead>
        <tr>
          <th scope="col">Group</th>
          <th scope="col">Commits</th>
          <th scope="col">Reason for exclusion</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ name, key, reason, commits }) => (
          <tr key={`${key} ${reason}`}>
            <td>{name}</td>
            <td>{countText(commits)}</td>
            <td>{reason}</td>
          </tr>
        ))}
        <tr>
          <td>Remaining candidates</td>
          <td>{countText(sum)}</td>
          <td>{left.length > 1 ? left.map(countText).join(' + ') : ''}</td>
        </tr>
      </tbody>
    </table>
  );
}
