export function JumpField({ team }: { team: string }) { return <span hidden>{team}</span>; }
