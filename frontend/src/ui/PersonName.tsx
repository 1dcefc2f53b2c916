import classes from './PersonName.module.css';

/** Returns the initials of the first and the last name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u);
  const letters = [words[0], words.length > 1 ? words[words.length - 1] : undefined].map(
    (word) => Array.from(word ?? '')[0] ?? '',
  );
  return letters.join('').toUpperCase() || '?';
}

/** A person in a list: initials and name. */
export function PersonName({ name }: { name: string }) {
  return (
    <span className={classes.person}>
      <span className={classes.initials} aria-hidden>
        {initialsOf(name)}
      </span>
      <span className="cut">{name}</span>
    </span>
  );
}
